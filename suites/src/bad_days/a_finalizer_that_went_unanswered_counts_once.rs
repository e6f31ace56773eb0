//! Finalizers that are removed, and nobody says so.

use crate::words::*;

/// A pod whose finalizer went without an answer is counted, and no second time.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "Tracking",
                says: "a pod is counted when its finalizer is gone, by way of the ledger",
            },
            requirements: &["FIN-002", "FIN-003"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        let lost = scene.wire().meets(change_of("pods"), Mishap::AnswerLost).await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&lost, 1).await?;
        scene.wait(job().succeeded(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("both are counted, once each", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("nothing has failed", never(job().failed_at_least(1))),
            ("no pod is made for one that is done", never(pods().at_least(3))),
        ])
    }
}
