//! Successes after the decision.

use crate::words::*;

/// Once failure is declared, a pod that still succeeds is counted and changes nothing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Conflicts with other terminating policies",
                says: "a Job with FailureTarget can only become failed",
            },
            requirements: &["SUC-011", "FIN-019", "STA-002", "DLN-008"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(2).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(1).fails(1).await?;
        scene.wait(job().has(FailureTarget).and(index(0).any(terminating()))).await?;
        scene.pod(0).is_let_go(End::Exited(0)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let doomed = job().has(FailureTarget.because("BackoffLimitExceeded"));
        Expectations::from([
            ("failure is declared", eventually(doomed.clone())),
            ("for good", stable(&doomed)),
            ("the success comes too late", never(job().has(SuccessCriteriaMet).or(job().has(Complete)))),
            ("the Job is failed", after(&doomed, eventually(job().has(Failed.because("BackoffLimitExceeded"))))),
        ])
    }
}
