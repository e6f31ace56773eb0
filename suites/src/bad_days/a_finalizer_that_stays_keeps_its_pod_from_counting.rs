//! Finalizers that cannot be removed for a while.

use crate::words::*;

/// A pod that is in the ledger counts only once its finalizer is gone.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "Tracking",
                says: "the counters rise when the finalizers of pods in the ledger are gone",
            },
            requirements: &["FIN-002", "FIN-003", "FIN-004"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        let held = scene.wire().meets(change_of("pods"), Mishap::HeldBefore).await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&held, 1).await?;
        scene.linger(Duration::from_secs(1), "a count that comes too early needs its chance").await?;
        scene.mark("the finalizer may go").await?;
        scene.wire().releases(&held).await?;
        scene.wait(job().succeeded(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let may_go = passed("the finalizer may go");
        Expectations::from([
            ("nothing is counted while the finalizer is there", before(&may_go, never(job().succeeded(1)))),
            ("then it is", after(&may_go, eventually(job().succeeded(1)))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
