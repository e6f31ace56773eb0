//! Pods that cannot be made for a while.

use crate::words::*;

/// Creations that fail on the way are tried again, and are no failures of pods.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "requeues",
                says: "errors of the API have a short delay of their own and do not touch the failures of pods",
            },
            requirements: &["BKO-017", "PAR-012", "SYN-005"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let lost = scene.wire().meets(creation_of("pods"), Mishap::RequestLost).await?;
        let broken = scene.wire().meets(creation_of("pods").from_number(2), Mishap::refused(500)).await?;
        scene.submit(counted(2, 1).backoff_limit(0)).await?;
        scene.wire().met(&lost, 1).await?;
        scene.wire().met(&broken, 1).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("nothing has failed", never(job().failed_at_least(1))),
            ("one pod runs at a time", never(pods().at_least(2).and(pods().running(2)))),
        ])
    }
}
