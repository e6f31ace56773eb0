//! A count that cannot be written at once.

use super::plain;
use crate::words::*;

/// When the write that moves a listed pod into the counters is refused once, it is counted later, and once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "tracking",
                says: "a listed pod is counted exactly once, whatever happens in between",
            },
            requirements: &["FIN-002", "FIN-003", "STA-012"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 1)).await?;
        scene.wait(pods().running(1)).await?;
        let veto = scene.refuse(Veto::of_counting()).await?;
        scene.some_pod().succeeds().await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().succeeded(1)).await?;
        scene.wait(pods().that_are(running()).count(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let refused = passed("a write was refused");
        Expectations::from([
            ("nothing is counted before", before(&refused, never(job().succeeded(1)))),
            ("the first success is counted later", after(&refused, eventually(job().succeeded(1)))),
            ("the Job needs a second one", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("two pods are enough", never(pods().at_least(3))),
        ])
    }
}
