//! Pods that end after the decision, as other rules would have it.

use crate::words::*;

/// A Job that is told to fail for one rule fails for that, whatever rules match the pods that stop after it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Interim FailureTarget condition",
                says: "what the interim condition says is what the Job fails for",
            },
            requirements: &["PFP-012", "STA-004", "STA-002"],
            needs: Needs { gates: &["JobPodFailurePolicy"], one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        let draft = indexed(4)
            .when_a_pod(exits(&[7]).fail_job())
            .when_a_pod(exits(&[42]).fail_job())
            .when_a_pod(exits(&[9]).ignore());
        scene.submit(draft).await?;
        scene.wait(pods().running(4)).await?;
        scene.pod(0).fails(42).await?;
        scene.wait(job().has(FailureTarget).and(pods().that_are(terminating()).count(3))).await?;
        // The rule before it, one that would forgive, and none: then the backoff limit is exceeded.
        for (index, code) in [(1, 7), (2, 9), (3, 1)] {
            scene.pod(index).is_let_go(End::Exited(code)).await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let says = "Container main for pod */job-0-* failed with exit code 42 matching FailJob rule at index 1";
        let told = job().has(FailureTarget.because("PodFailurePolicy").saying_like(says));
        Expectations::from([
            ("the rule that matched is told", eventually(told.clone())),
            ("and stays", stable(&told)),
            ("the Job fails for it", eventually(job().has(Failed.because("PodFailurePolicy").saying_like(says)))),
            ("once all have ended", whenever(&job().has(Failed), pods().all(stopped()))),
        ])
    }
}
