//! Where the time to live begins.

use crate::words::*;

/// The time to live of a Job begins when it is finished, however long it ran.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "a Job expires when its time to live has passed since its finish",
            },
            requirements: &["TTL-002", "TTL-003", "TTL-014"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(3)).await?;
        scene.wait(pods().running(1)).await?;
        scene.linger(Duration::from_secs(3), "a time counted from the start would be over at the finish").await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let removed = job().is_deleting();
        let in_time = eventually_within(Duration::from_secs(13), removed.clone());
        Expectations::from([
            ("its time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(2))),
            ("when it is over the Job is removed", after(&job().is_finished(), in_time)),
            ("and it is gone in the end", after(&removed, eventually(job().is_gone()))),
        ])
    }
}
