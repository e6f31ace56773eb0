//! Status writes that conflict.

use crate::words::*;

/// A status write that is refused with a conflict is computed anew, and nothing of what it would have said is lost.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status updates",
                says: "on a conflict the sync fails and is tried again from what is there now",
            },
            requirements: &["SYN-024", "SYN-005", "FIN-003"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2)).await?;
        scene.wait(pods().running(2)).await?;
        let conflicts = scene.wire().meets(change_of("jobs/status").times(2), Mishap::refused(409)).await?;
        scene.pod(0).succeeds().await?;
        scene.wire().met(&conflicts, 2).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the Job completes", eventually(job().has(Complete).and(job().completed_indexes("0,1")))),
            ("each index counts once", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("nothing has failed", never(job().failed_at_least(1))),
            ("no index runs twice", never(pods().at_least(3))),
        ])
    }
}
