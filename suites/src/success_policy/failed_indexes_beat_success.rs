//! Failed indexes against success policy.

use super::failure_is_heard_first;
use crate::words::*;

/// When one sync finds a success rule met and too many indexes failed, the Job fails.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Conflicts with other terminating policies",
                says: "the limit of failed indexes is heard before success policies",
            },
            requirements: &["SUC-011", "STA-001", "BLI-008"],
            needs: Needs {
                one_gate_of: DELAYED_END,
                gates: &["JobSuccessPolicy", "JobBackoffLimitPerIndex"],
                restarts_subject: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene
            .submit(indexed(3).backoff_limit_per_index(0).spec("maxFailedIndexes", 0).succeeds_when(indexes("0")))
            .await?;
        scene.wait(pods().running(3)).await?;

        // A subject that starts anew lists all pods before its first sync, so that sync sees both.
        scene.subject().crash().await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).fails(1).await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        failure_is_heard_first("MaxFailedIndexesExceeded")
    }
}
