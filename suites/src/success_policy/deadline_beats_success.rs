//! Deadline against success policy.

use super::failure_is_heard_first;
use crate::words::*;

/// When one sync finds a success rule met and the deadline over, the Job fails.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Conflicts with other terminating policies",
                says: "the deadline is heard before success policies",
            },
            requirements: &["SUC-011", "STA-001", "DLN-001"],
            needs: Needs {
                one_gate_of: DELAYED_END,
                gates: &["JobSuccessPolicy"],
                restarts_subject: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        // The deadline counts from the start that the status tells; the pods may run before it does.
        scene.wait(pods().running(3).and(job().has_started())).await?;

        // A subject that starts anew lists all pods before its first sync, so that sync sees both.
        scene.subject().crash().await?;
        scene.pod(0).succeeds().await?;
        // Set only now: however long the pods took to come up, it is over neither before the success nor later than the look.
        scene.patch("job", json!({"spec": {"activeDeadlineSeconds": 1}})).await?;
        scene.linger(Duration::from_secs(2), "the deadline must be over before the subject is back").await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        failure_is_heard_first("DeadlineExceeded")
    }
}
