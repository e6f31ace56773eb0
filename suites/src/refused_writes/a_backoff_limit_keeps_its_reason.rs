//! A backoff limit that cannot be told at once.

use super::{failure_keeps, plain};
use crate::words::*;

/// When the write that would declare the limit exceeded is refused once, it is declared later.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit",
                says: "too many failures stay too many",
            },
            requirements: &["STA-004", "BKO-001", "BKO-004"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let veto = scene.refuse(Veto::of_condition(FailureTarget)).await?;
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(1).fails(1).await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        failure_keeps("BackoffLimitExceeded")
    }
}
