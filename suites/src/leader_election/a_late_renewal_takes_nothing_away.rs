//! A renewal of the instance that leads is under way while somebody else takes the lease.

use super::{a_stranger_has_it, waits_for_the_lease};
use crate::words::*;

/// A renewal that arrives after somebody else has taken the lease does not take it back: it carries the version that it was made from.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "a renewal that comes too late takes the lease from nobody",
            },
            requirements: &["SYN-026", "SYN-024"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 2)).await?;
        scene.wait(job().active(2).and(pods().running(2))).await?;
        let renewal = scene.leader().has_a_renewal_held().await?;
        scene.leader().loses_its_lease_to_a_stranger().await?;
        scene.wire().releases(&renewal).await?;
        a_stranger_has_it(scene).await
    }

    fn expects(&self) -> Expectations {
        waits_for_the_lease()
    }
}
