//! A suspension that cannot be told at once.

use super::plain;
use crate::words::*;

/// When the write that would call a Job suspended is refused once, its pods stop all the same, none is counted, and it is called so later.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "active pods of a suspended Job are deleted and not counted",
            },
            requirements: &["SUS-002", "SUS-004", "PAR-017"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 3)).await?;
        scene.wait(job().ready(3)).await?;
        let veto = scene.refuse(Veto::of_condition(Suspended)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().has(Suspended).and(pods().count(0))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().ready(3)).await
    }

    fn expects(&self) -> Expectations {
        let refused = passed("a write was refused");
        let suspended = job().has(Suspended.because("JobSuspended"));
        Expectations::from([
            ("it is called suspended later", after(&refused, eventually(suspended.clone()))),
            ("its pods are stopped", after(&refused, eventually(pods().count(0)))),
            ("no stopped pod is a failure", never(job().failed_at_least(1))),
            ("the Job does not fail", never(job().has(FailureTarget))),
            ("and goes on when it is resumed", after(&suspended, eventually(job().ready(3)))),
        ])
    }
}
