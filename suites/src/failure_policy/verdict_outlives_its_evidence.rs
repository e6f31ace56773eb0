//! A decision and a crash.

use crate::words::*;

/// Once declared, a failure by policy stands, though the controller crashes and the pod that brought it about is gone.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Interim FailureTarget condition",
                says: "the interim condition makes the outcome independent of pods that may be deleted meanwhile",
            },
            requirements: &["PFP-007", "PFP-012", "SYN-026", "STA-001"],
            needs: Needs { one_gate_of: DELAYED_END, restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(2).backoff_limit(6).when_a_pod(exits(&[42]).fail_job())).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).fails(42).await?;
        scene.wait(index(1).any(terminating()).and(index(0).all(untracked()))).await?;

        scene.subject().crash().await?;
        let witness = scene.pod(0).name().await?;
        scene.must(Write::delete_pod(&witness, Some(0))).await?;
        scene.wait(index(0).count(0)).await?;
        scene.subject().restart().await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let says = "Container main for pod */job-0-* failed with exit code 42 matching FailJob rule at index 0";
        let crash = passed("subject crashed");
        let declared = job().has(FailureTarget.because("PodFailurePolicy").saying_like(says));
        let failed = job().has(Failed.because("PodFailurePolicy").saying_like(says));
        Expectations::from([
            ("the failure is declared before the crash", before(&crash, eventually(declared.clone()))),
            ("it stands", stable(&declared)),
            ("the Job fails for it after the crash", after(&crash, eventually(failed.clone()))),
            ("though the pod is not there to tell", whenever(&failed, index(0).count(0))),
            ("and no pod is tried again", after(&crash, never(pods().created()))),
        ])
    }
}
