//! A deadline that cannot be told at once.

use super::{ANOTHER_REASON, failure_keeps, known, plain};
use crate::words::*;

/// When the write that would declare a passed deadline is refused once, the Job fails for that deadline, and not for the pods that were stopped because of it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "a Job fails for its deadline when that has passed and no pod has failed",
            },
            requirements: &["STA-004", "DLN-001", "DLN-005", "FIN-018"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        let veto = scene.refuse(Veto::of_condition(FailureTarget)).await?;
        scene.linger(Duration::from_secs(2), "a deadline of one second is over when it is set").await?;
        scene.patch("job", json!({"spec": {"activeDeadlineSeconds": 1}})).await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        failure_keeps("DeadlineExceeded").known(known(ANOTHER_REASON))
    }
}
