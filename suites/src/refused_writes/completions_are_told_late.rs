//! Completions that cannot be told at once.

use super::plain;
use crate::words::*;

/// When the write that would declare the completions reached is refused once, they are declared later, and nothing is started meanwhile.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "completions",
                says: "reached completions stay reached",
            },
            requirements: &["SUC-013", "PAR-004", "FIN-002"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        let veto = scene.refuse(Veto::of_condition(SuccessCriteriaMet)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let refused = passed("a write was refused");
        Expectations::from([
            ("they are declared later", after(&refused, eventually(job().has(SuccessCriteriaMet)))),
            ("the Job is complete", after(&refused, eventually(job().has(Complete)))),
            ("each success is counted once", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("nothing is started meanwhile", after(&refused, never(pods().created()))),
        ])
    }
}
