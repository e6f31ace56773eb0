//! The renewals of the instance that leads do not arrive any more; everything else that it asks for does.

use super::{goes_on, steps_down};
use crate::words::*;

/// Who cannot renew the lease writes nothing once it has run out, and another goes on.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "who cannot renew the lease stops before it runs out, and another goes on",
            },
            requirements: &["SYN-026", "SYN-024"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        steps_down(scene, Mishap::RequestLost).await
    }

    fn expects(&self) -> Expectations {
        goes_on()
    }
}
