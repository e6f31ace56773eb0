//! Success of a Job of which one pod cannot be stopped at once.

use super::{FAILS, known, needs, success_survives};
use crate::words::*;

/// When the deletion of one pod is refused once, the Job still succeeds: those that were stopped are no failures.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "the decision follows from the indexes that have succeeded, whichever pods are stopped by then",
            },
            requirements: &["SUC-008", "SUC-023", "PAR-012", "FIN-018"],
            needs: needs(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3).and(job().ready(3))).await?;
        let veto = scene.refuse(Veto::of_pod_deletion(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        success_survives().known(known(FAILS))
    }
}
