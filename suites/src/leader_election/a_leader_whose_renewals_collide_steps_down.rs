//! The renewals of the instance that leads are answered as if somebody else had written the lease.

use super::{goes_on, steps_down};
use crate::words::*;

/// A renewal that was refused is none: who leads stops when the lease runs out, and another goes on.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "a renewal that collides is none, and another goes on",
            },
            requirements: &["SYN-026", "SYN-024"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        steps_down(scene, Mishap::conflict()).await
    }

    fn expects(&self) -> Expectations {
        goes_on()
    }
}
