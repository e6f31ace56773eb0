//! The end of a Job, before a watch says so.

use crate::words::*;

/// A controller that has declared a Job complete starts nothing for it, although its watch still shows it running.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#130103",
                says: "no look at a Job before the own last write to it is seen",
            },
            requirements: &["SYN-020", "SYN-019"],
            needs: Needs { faults: FaultNeeds::Watches, binaries_since: Some(Minor::new(1, 34)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(job().ready(1)).await?;
        scene.linger(Duration::from_secs(2), "what follows the last write is seen within a second").await?;
        let end = scene
            .wire()
            .meets(change_of("jobs/status").saying("CompletionsReached").from_number(2), Mishap::HeldBefore)
            .await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&end, 1).await?;
        scene.wire().holds_watches_of("jobs").await?;
        scene.wire().releases(&end).await?;
        scene.wait(job().is_finished()).await?;
        let name = scene.world().pods().find_map(|pod| pod.metadata.name.clone()).unwrap_or_default();
        scene.must(Write::delete_pod(&name, Some(0))).await?;
        scene.wait(pods().count(0)).await?;
        scene.mark("its pod is gone").await?;
        scene.linger(Duration::from_secs(3), "a pod that must not come needs its chance").await?;
        scene.wire().releases_watches_of("jobs").await?;
        scene.linger(Duration::from_secs(1), "and once more").await
    }

    fn expects(&self) -> Expectations {
        let (held, gone) = (passed("watches held: jobs"), passed("its pod is gone"));
        Expectations::from([
            ("the Job completes unseen", after(&held, eventually(job().has(Complete)))),
            ("its pod goes", after(&held, eventually(pods().count(0)))),
            ("no other is started", after(&gone, never(pods().created()))),
            (
                "nor is a status asked for, which could only be refused",
                never(requests("update", "jobs/status").that_are_refused().at_least(1)),
            ),
            ("the Job stays as it is", stable(&job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
