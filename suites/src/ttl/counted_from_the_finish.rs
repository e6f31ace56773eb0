//! Where the time to live begins.

use crate::words::*;

/// The time to live of a Job begins when it is finished, however long it ran and however long its pods took to stop.
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
            requirements: &["TTL-001", "TTL-002", "TTL-003", "TTL-014"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).ttl(3)).await?;
        scene.submit(counted(2, 2).named("slow").ttl(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.linger(Duration::from_secs(3), "a time counted from the start would be over at the finish").await?;
        scene.pod_of("job").succeeds().await?;
        scene.pod_of("slow").fails(1).await?;
        scene.wait(pods().of("slow").any(terminating())).await?;
        scene.linger(Duration::from_secs(4), "so would be one counted from the decision").await?;
        scene.pod_of("slow").is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_gone().and(job_named("slow").is_gone())).await
    }

    fn expects(&self) -> Expectations {
        let (slow, removed) = (job_named("slow"), job().is_deleting());
        let slow_removed = slow.is_deleting();
        let in_time = eventually_within(Duration::from_secs(13), removed.clone());
        let slow_in_time = eventually_within(Duration::from_secs(13), slow_removed.clone());
        Expectations::from([
            ("its time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(2))),
            ("when it is over the Job is removed", after(&job().is_finished(), in_time)),
            ("and it is gone in the end", after(&removed, eventually(job().is_gone()))),
            ("a Job whose pods stop slowly has failed", before(&slow_removed, eventually(slow.has(Failed)))),
            ("it has its whole time after that", whenever(&slow_removed, slow.is_deleted_past_its_end_by(2))),
            ("and no more", after(&slow.is_finished(), slow_in_time)),
        ])
    }
}
