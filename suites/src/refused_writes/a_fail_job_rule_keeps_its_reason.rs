//! A rule that cannot be told at once.

use super::{failure_keeps, plain};
use crate::words::*;

/// When the write that would declare a matched rule is refused once, the Job fails for that rule, and not for the pods that were stopped because of it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "podFailurePolicy",
                says: "the failed pod is evidence until the failure is told",
            },
            requirements: &["STA-004", "PFP-007", "PFP-012", "DLN-005"],
            needs: Needs { gates: &["JobPodFailurePolicy"], ..plain() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let veto = scene.refuse(Veto::of_condition(FailureTarget)).await?;
        scene.submit(indexed(3).when_a_pod(exits(&[42]).fail_job())).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(1).fails(42).await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        failure_keeps("PodFailurePolicy")
    }
}
