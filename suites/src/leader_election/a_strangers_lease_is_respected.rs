//! Somebody who is no instance of the controller takes the lease, and keeps it for a while.

use super::{a_stranger_has_it, waits_for_the_lease};
use crate::words::*;

/// While a stranger holds the lease nothing is written; what happened meanwhile is made good once it is free.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "who does not get the lease does nothing, and then makes good what was left",
            },
            requirements: &["SYN-026", "PAR-001"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 2)).await?;
        scene.wait(job().active(2).and(pods().running(2))).await?;
        scene.leader().loses_its_lease_to_a_stranger().await?;
        a_stranger_has_it(scene).await
    }

    fn expects(&self) -> Expectations {
        waits_for_the_lease()
    }
}
