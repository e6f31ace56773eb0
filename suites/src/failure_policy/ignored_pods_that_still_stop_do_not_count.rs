//! What a failing Job owes to its rules.

use crate::words::*;

/// A Job that fails counts the pods that are not at their end as failed, but not those that a rule ignores.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "podFailurePolicy",
                says: "when a Job fails, the policy is asked about its pods that have not ended yet too",
            },
            requirements: &["BKO-005", "PFP-009"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).when_a_pod(has_condition("DisruptionTarget").ignore())).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).is_disrupted(Disruption::Preemption).await?;
        scene.pod(0).is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.pod(1).fails(1).await?;
        scene.wait(job().terminating(2)).await?;
        scene.pod(0).is_let_go(End::Exited(143)).await?;
        scene.pod(2).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(FailureTarget.because("BackoffLimitExceeded"));
        let failed = job().has(Failed.because("BackoffLimitExceeded"));
        Expectations::from([
            ("one failure is one too many", eventually(declared.clone())),
            ("it counts, and so does the pod that the Job stops", after(&declared, eventually(job().failed(2)))),
            ("the one that a rule ignores does not", never(job().failed_at_least(3))),
            ("the Job then fails", after(&declared, eventually(failed.clone()))),
            ("which waits for the last pod", whenever(&failed, pods().all(stopped()))),
        ])
    }
}
