//! Refusals that do not say when to come back.

use crate::words::*;

/// A server that is full and names no time is asked again by and by; so is one that took a status for invalid.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "requeues",
                says: "whatever a write was refused with, the sync is done again after a delay that grows",
            },
            requirements: &["SYN-005", "PAR-012", "BKO-017"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let full = scene.wire().meets(creation_of("pods").times(3), Mishap::refused(429)).await?;
        scene.submit(counted(1, 1)).await?;
        scene.wire().met(&full, 3).await?;
        scene.wait(job().ready(1)).await?;
        let invalid = scene.wire().meets(change_of("jobs/status"), Mishap::refused(422)).await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&invalid, 1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            // After 1, 2 and 4 s: four in seven seconds.
            ("a full server is not asked again at once", never(requests("create", "pods").faster_than(2, 1))),
            ("its pod comes once", never(pods().at_least(2))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(1)))),
            ("no refusal is a failure", never(job().failed_at_least(1))),
        ])
    }
}
