//! The action that ends a Job.

use crate::words::*;

/// One exit code that a FailJob rule names ends the Job, whatever its backoff limit, and the Job says which pod it was.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Interim FailureTarget condition",
                says: "the decision stands in the Job before the failed pod may go and before the Job has failed",
            },
            requirements: &["PFP-007", "PFP-008", "STA-004", "PRP-008"],
            needs: Needs { one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).backoff_limit(6).when_a_pod(exits(&[42]).in_container("main").fail_job())).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(1).fails(42).await?;
        scene.wait(pods().that_are(terminating()).count(2)).await?;
        scene.pod(0).is_let_go(End::Exited(143)).await?;
        scene.pod(2).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let says = "Container main for pod */job-1-* failed with exit code 42 matching FailJob rule at index 0";
        let declared = job().has(FailureTarget.because("PodFailurePolicy").saying_like(says));
        let failed = job().has(Failed.because("PodFailurePolicy").saying_like(says));
        Expectations::from([
            ("one exit code is enough", eventually(declared.clone())),
            ("the failed pod is held until that is written", before(&declared, always(pods().all(tracked())))),
            ("the other pods are told to stop", after(&declared, eventually(pods().all(stopping())))),
            ("no pod is started after that", after(&declared, never(pods().created()))),
            ("the Job then fails for the same reason", after(&declared, eventually(failed.clone()))),
            ("which waits for the last pod", whenever(&failed, pods().all(stopped()))),
        ])
    }
}
