//! A time to live after a failure.

use crate::words::*;

/// A failed Job is removed when its time to live is over, as a complete one is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim { source: Source::Kep(592), section: "API Object", says: "finished means complete or failed" },
            requirements: &["TTL-001", "TTL-002", "TTL-014"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(2)).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().fails(1).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (failed, removed) = (job().has(Failed), job().is_deleting());
        let in_time = eventually_within(Duration::from_secs(12), removed.clone());
        Expectations::from([
            ("the Job has failed first", before(&removed, eventually(failed.clone()))),
            ("its time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(1))),
            ("when it is over the Job is removed", after(&failed, in_time)),
            ("and it is gone in the end", after(&removed, eventually(job().is_gone()))),
        ])
    }
}
