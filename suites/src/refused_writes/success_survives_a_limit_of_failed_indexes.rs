//! Success against a limit of failed indexes.

use super::{FAILS, known, needs, success_is_refused, success_survives};
use crate::words::*;

/// Indexes whose pods the controller stopped do not add up to too many failed ones.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "the decision follows from the indexes that have succeeded, whenever it can be told",
            },
            requirements: &["SUC-023", "SUC-008", "SUC-012", "BLI-008"],
            needs: Needs { gates: &["JobSuccessPolicy", "JobBackoffLimitPerIndex"], ..needs() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let veto = success_is_refused(
            scene,
            indexed(3).succeeds_when(indexes("0")).backoff_limit_per_index(0).spec("maxFailedIndexes", 0),
        )
        .await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        success_survives().known(known(FAILS))
    }
}
