//! Success of containers that were restarted in place.

use crate::words::*;

/// An index whose container was restarted in place meets a rule as any other, and pods that were restarted are stopped as any other.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Job API",
                says: "a rule asks for indexes that have succeeded, and not for how often they were tried",
            },
            requirements: &["SUC-002", "SUC-008", "BKO-002"],
            needs: Needs { gates: &["JobSuccessPolicy"], one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).backoff_limit(6).restarts_in_place().succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).is_restarted(2).await?;
        scene.pod(1).is_restarted(1).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        Expectations::from([
            ("the success is told", eventually(met.clone())),
            ("the pods that are left are stopped", after(&met, eventually(index(1).all(stopping())))),
            ("no restart is a failure", never(job().failed_at_least(1))),
            ("the Job is complete", eventually(job().has(Complete.because("SuccessPolicy")).and(job().succeeded(1)))),
        ])
    }
}
