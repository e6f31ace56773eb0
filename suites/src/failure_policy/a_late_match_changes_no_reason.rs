//! A rule that matches once the Job is told to fail for something else.

use crate::words::*;

/// A Job that is told to fail for its backoff limit fails for that, though a pod that stops then ends as a FailJob rule has it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Interim FailureTarget condition",
                says: "a rule that matches after the decision is no reason for it",
            },
            requirements: &["STA-002", "STA-004", "PFP-012"],
            needs: Needs { gates: &["JobPodFailurePolicy"], one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(indexed(2).when_a_pod(exits(&[42]).fail_job())).await?;
        scene.wait(pods().running(2)).await?;
        // It stays there after its end, so that every later sync sees how it ended.
        let finalizers = json!(["batch.kubernetes.io/job-tracking", "jobsworth.test/keepsake"]);
        scene.pod(1).is_patched(json!({"metadata": {"finalizers": finalizers}})).await?;
        scene.pod(0).fails(1).await?;
        scene.wait(job().has(FailureTarget).and(index(1).any(terminating()))).await?;
        scene.pod(1).is_let_go(End::Exited(42)).await?;
        scene.wait(job().is_finished()).await?;
        scene.pod(1).is_patched(json!({"metadata": {"finalizers": null}})).await
    }

    fn expects(&self) -> Expectations {
        let told = job().has(FailureTarget.because("BackoffLimitExceeded"));
        let lost = job().has(Failed.because("BackoffLimitExceeded"));
        Expectations::from([
            ("the limit is told", eventually(told.clone())),
            ("and stays", stable(&told)),
            ("a pod fails after that", after(&told, eventually(index(1).any(failed())))),
            ("the Job fails for its limit", after(&told, eventually(lost))),
        ])
    }
}
