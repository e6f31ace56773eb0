//! Creations that take the API server too long.

use crate::words::*;

/// A creation that is answered with 504 has come about or not, and nobody says which: each pod that is wanted comes once.
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
        let made = scene.wire().meets(creation_of("pods"), Mishap::applied_then(504)).await?;
        let not_made = scene.wire().meets(creation_of("pods").from_number(2), Mishap::refused(504)).await?;
        scene.submit(counted(2, 2)).await?;
        scene.wire().met(&made, 1).await?;
        scene.wire().met(&not_made, 1).await?;
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
