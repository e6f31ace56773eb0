//! The instance that leads is killed with Jobs half done.

use super::SOON;
use crate::words::*;

/// When the leader dies another instance follows soon, counts what ended meanwhile, and ends all Jobs.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "another instance goes on where the leader stopped",
            },
            requirements: &["SYN-026", "PAR-001"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 2)).await?;
        scene.submit(indexed(3).parallelism(2).named("indexed")).await?;
        scene.wait(pods().of("job").running(2).and(pods().of("indexed").running(2))).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.pod_of("indexed").succeeds().await?;
        scene.leader().crash().await?;
        scene.pod_of("job").succeeds().await?;
        scene.leader().is_another().await?;
        scene.wait(job().succeeded(2)).await?;
        for _ in 0..2 {
            scene.pod_of("job").succeeds().await?;
            scene.pod_of("indexed").succeeds().await?;
        }
        scene.wait(job().is_finished().and(job_named("indexed").is_finished())).await
    }

    fn expects(&self) -> Expectations {
        let (crash, follows) = (passed("subject crashed"), passed("another instance leads"));
        let indexed = job_named("indexed");
        Expectations::from([
            ("what ended meanwhile is counted soon", after(&crash, eventually_within(SOON, job().succeeded(2)))),
            ("the Job completes", after(&follows, eventually(job().has(Complete).and(job().succeeded(4))))),
            ("so does the other", after(&follows, eventually(indexed.has(Complete).and(indexed.succeeded(3))))),
            ("nothing is counted as failed", never(job().failed_at_least(1).or(indexed.failed_at_least(1)))),
        ])
    }
}
