//! Success with retries to spare.

use super::{COUNTS, known, needs, success_is_refused, success_survives};
use crate::words::*;

/// The Job succeeds, and the pods that the controller stopped are in no counter.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "pods that are stopped because the policy is met are not added to the failures",
            },
            requirements: &["SUC-023", "SUC-008", "FIN-018"],
            needs: needs(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let veto = success_is_refused(scene, indexed(3).succeeds_when(indexes("0")).backoff_limit(6)).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        success_survives().known(known(COUNTS))
    }
}
