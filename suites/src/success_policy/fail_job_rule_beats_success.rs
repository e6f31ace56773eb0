//! Failure policy against success policy.

use super::failure_is_heard_first;
use crate::words::*;

/// When one sync finds a success rule and a FailJob rule met, the FailJob rule is heard first.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Conflicts with other terminating policies",
                says: "terminating policies are heard before success policies",
            },
            requirements: &["SUC-011", "STA-001", "PFP-007"],
            needs: Needs {
                gates: &["JobSuccessPolicy", "JobPodFailurePolicy"],
                restarts_subject: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene
            .submit(indexed(3).backoff_limit(6).succeeds_when(indexes("0")).when_a_pod(exits(&[42]).fail_job()))
            .await?;
        scene.wait(pods().running(3)).await?;

        // A subject that starts anew lists all pods before its first sync, so that sync sees both.
        scene.subject().crash().await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).fails(42).await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        failure_is_heard_first("PodFailurePolicy")
    }
}
