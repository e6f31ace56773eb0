//! Pods that are made, and nobody says so.

use crate::words::*;

/// When the answer to a creation is lost, the pod is there all the same, and is found before another is made.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "expectations",
                says: "what is not known of a creation is learned from the watch before more pods are made",
            },
            requirements: &["SYN-016", "PAR-012", "SYN-005"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let lost = scene.wire().meets(creation_of("pods"), Mishap::AnswerLost).await?;
        scene.submit(counted(2, 2)).await?;
        scene.wire().met(&lost, 1).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("there is no third pod", never(pods().at_least(3))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("nothing has failed", never(job().failed_at_least(1))),
        ])
    }
}
