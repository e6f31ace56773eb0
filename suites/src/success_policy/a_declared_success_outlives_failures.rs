//! Failures after the decision.

use crate::words::*;

/// Once success is declared no later failure, whatever it would have meant before, changes the outcome.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Conflicts with other terminating policies",
                says: "a Job with SuccessCriteriaMet can only become complete",
            },
            requirements: &["SUC-010", "SUC-008", "PFP-001", "STA-002"],
            needs: Needs {
                one_gate_of: DELAYED_END,
                gates: &["JobSuccessPolicy", "JobPodFailurePolicy"],
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).succeeds_when(indexes("0")).when_a_pod(exits(&[42]).fail_job())).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().has(SuccessCriteriaMet).and(pods().that_are(terminating()).count(2))).await?;
        scene.pod(1).is_let_go(End::Exited(42)).await?;
        scene.wait(job().terminating(1)).await?;
        scene.pod(2).is_let_go(End::Exited(1)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        Expectations::from([
            ("success is declared", eventually(met.clone())),
            ("for good", stable(&met)),
            ("a matching FailJob rule comes too late", never(job().has(FailureTarget))),
            ("the backoff limit too", never(job().has(Failed))),
            ("the Job is complete", after(&met, eventually(job().has(Complete.because("SuccessPolicy"))))),
        ])
    }
}
