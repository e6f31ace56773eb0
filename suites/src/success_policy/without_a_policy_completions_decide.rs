//! Success without a policy.

use crate::words::*;

/// A NonIndexed Job without a policy goes through the same interim condition; the KEP's first text kept it for policies.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "CompletionsReached",
                says: "reaching the completions gives SuccessCriteriaMet with reason CompletionsReached before Complete",
            },
            requirements: &["SUC-013", "PAR-004", "FIN-002", "STA-004"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("CompletionsReached"));
        let complete = job().has(Complete.because("CompletionsReached"));
        Expectations::from([
            ("the completions are declared reached", eventually(met.clone())),
            ("for good", stable(&met)),
            ("then the Job is complete", after(&met, eventually(complete.clone()))),
            ("never the other way round", whenever(&complete, met)),
            ("with both pods counted", whenever(&complete, job().succeeded(2).and(job().failed(0)))),
        ])
    }
}
