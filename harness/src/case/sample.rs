//! Cases on which tests are made: each asks something else of its cluster.

use super::{About, Case, Claim, Needs, Source};
use crate::scene::{Scene, Stop};
use jobsworth_oracle::Expectations;

/// What a case asks of its cluster.
pub struct Asking(fn() -> Needs);

impl Case for Asking {
    fn about(&self) -> About {
        let claim = Claim { source: Source::Kep(592), section: "Design", says: "it holds" };
        About { id: "ttl/late", claim, requirements: &["TTL-001"], needs: self.0() }
    }

    async fn script(&self, _: &mut Scene) -> Result<(), Stop> {
        Ok(())
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

/// One that bears company.
pub const SOCIABLE: Asking = Asking(Needs::default);
/// One that bears no other beside it.
pub const RESTARTING: Asking = Asking(|| Needs { restarts_subject: true, ..Needs::default() });
/// One that changes its cluster.
pub const FLIPPING: Asking = Asking(|| Needs { flips: &["JobSuccessPolicy"], ..Needs::default() });
