//! Status writes that come about, and are answered as if they had not.

use crate::words::*;

/// A status that was stored though its answer was an error is found as it is, and what it counts is not counted again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status updates",
                says: "a sync that failed is done again from what is stored, whatever its last write was answered with",
            },
            requirements: &["FIN-002", "SYN-024", "SYN-005"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 1)).await?;
        for code in [500, 504] {
            scene.wait(pods().running(1)).await?;
            // The first of them that the end of the pod brings about, and the one after it.
            let stored = scene.wire().meets(change_of("jobs/status").times(2), Mishap::applied_then(code)).await?;
            scene.some_pod().succeeds().await?;
            scene.wire().met(&stored, 2).await?;
        }
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let done = job().has(Complete);
        Expectations::from([
            ("the Job completes", eventually(done.clone().and(job().succeeded(3)))),
            ("each success is a pod of its own", whenever(&done, pods().that_are(succeeded()).count(3))),
            ("there is no fourth pod", never(pods().at_least(4))),
            ("nothing has failed", never(job().failed_at_least(1))),
        ])
    }
}
