//! Success that a controller takes with it.

use super::{FAILS, known, needs, success_is_refused, success_survives};
use crate::words::*;

/// A controller that dies between its decision and the write that would tell it leaves a Job that still succeeds.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "the decision follows from the indexes that have succeeded, also for a controller that starts anew",
            },
            requirements: &["SUC-023", "SUC-008", "SYN-026", "FIN-018"],
            needs: Needs { restarts_subject: true, ..needs() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let veto = success_is_refused(scene, indexed(3).succeeds_when(indexes("0"))).await?;
        scene.subject().crash().await?;
        scene.allow(veto).await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        success_survives().known(known(FAILS))
    }
}
