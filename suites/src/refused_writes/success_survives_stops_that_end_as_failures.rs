//! Success of a Job that counts pods at their end.

use super::{FAILS, known, needs, success_is_refused, success_survives};
use crate::words::*;

/// Pods that the controller stopped, and that then ended as failed, are no failures where only ended pods are replaced, either.
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
            requirements: &["SUC-023", "SUC-008", "PRP-002", "BKO-001"],
            needs: Needs { gates: &["JobSuccessPolicy", "JobPodReplacementPolicy"], ..needs() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let veto = success_is_refused(scene, indexed(3).succeeds_when(indexes("0")).replaces_only_failed()).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        success_survives().known(known(FAILS))
    }
}
