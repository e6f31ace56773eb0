//! A pod that cannot be let go of at once.

use super::plain;
use crate::words::*;

/// When taking the finalizer off a pod is refused once, the Job does not end before it is off, and the pod is counted once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "tracking",
                says: "a Job ends when no pod of it is left to be counted",
            },
            requirements: &["FIN-002", "FIN-008", "FIN-010"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1)).await?;
        let veto = scene.refuse(Veto::of_release()).await?;
        scene.some_pod().succeeds().await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (refused, finished) = (passed("a write was refused"), job().is_finished());
        Expectations::from([
            ("the Job is not finished before", before(&refused, never(finished.clone()))),
            ("it is complete later", after(&refused, eventually(job().has(Complete)))),
            ("when its pod is let go of", whenever(&finished, pods().all(untracked()))),
            ("which is counted once", eventually(finished.and(job().succeeded(1)))),
            ("and has no successor", after(&refused, never(pods().created()))),
        ])
    }
}
