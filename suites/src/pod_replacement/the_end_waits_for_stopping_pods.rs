//! The end of a Job and pods that take their time.

use crate::words::*;

/// A Job has failed only when all its pods have stopped; whether they are also gone does not matter.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Tracking the terminating pods",
                says: "terminating pods are told of in the status, up to the last one",
            },
            requirements: &["PRP-003", "PRP-004", "PRP-008", "STA-004", "STA-009", "FIN-007"],
            needs: Needs { since: Some(Minor::new(1, 31)), gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        let finalizers = json!(["batch.kubernetes.io/job-tracking", "jobsworth.test/keepsake"]);
        scene.pod(1).is_patched(json!({"metadata": {"finalizers": finalizers}})).await?;
        scene.pod(0).fails(1).await?;
        scene.wait(job().terminating(2)).await?;
        scene.pod(2).is_let_go(End::Exited(143)).await?;
        scene.wait(job().terminating(1)).await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await?;
        scene.pod(1).is_patched(json!({"metadata": {"finalizers": null}})).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(FailureTarget.because("BackoffLimitExceeded"));
        let failed = job().has(Failed.because("BackoffLimitExceeded"));
        let two_left = job().terminating(2).and(declared.clone());
        Expectations::from([
            ("the failure is declared at once", eventually(two_left.clone())),
            ("the number on their way out falls with each", after(&two_left, eventually(job().terminating(1)))),
            ("the Job fails when none is left", after(&two_left, eventually(failed.clone().and(job().terminating(0))))),
            ("not before", whenever(&failed, pods().all(stopped()))),
            ("a pod that is kept by others does not hold it up", eventually(failed.clone().and(index(1).count(1)))),
        ])
    }
}
