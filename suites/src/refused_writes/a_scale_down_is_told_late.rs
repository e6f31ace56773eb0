//! Fewer pods, which cannot be told at once.

use super::plain;
use crate::words::*;

/// When the write that would tell of fewer pods is refused once, as many are stopped as before, none is counted, and none comes in their place.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "parallelism",
                says: "pods that are one too many are stopped and not counted",
            },
            requirements: &["PAR-016", "PAR-017", "FIN-018"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 3)).await?;
        scene.wait(job().ready(3)).await?;
        let veto = scene.refuse(Veto::of_fewer_active()).await?;
        scene.patch("job", json!({"spec": {"parallelism": 1}})).await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().active(1).and(pods().count(1))).await
    }

    fn expects(&self) -> Expectations {
        let refused = passed("a write was refused");
        Expectations::from([
            ("the number is told later", after(&refused, eventually(job().active(1)))),
            ("one pod is left", after(&refused, eventually(pods().that_are(live()).count(1)))),
            ("never less", after(&refused, always(pods().that_are(live()).at_least(1)))),
            ("no stopped pod is a failure", never(job().failed_at_least(1))),
            ("the Job does not fail", never(job().has(FailureTarget))),
            ("none comes in their place", after(&refused, never(pods().created()))),
        ])
    }
}
