//! What becomes of the counters when a Job fails.

use crate::words::*;

/// Pods that a failing Job stops are counted as failed when they are told to stop, not when they have stopped.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit",
                says: "a Job that fails counts all its pods that are not at their end as failed",
            },
            requirements: &["BKO-005", "PRP-003", "PRP-008", "STA-004"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).backoff_limit(0)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).fails(1).await?;
        scene.wait(job().failed(3)).await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.pod(2).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(FailureTarget.because("BackoffLimitExceeded"));
        let failed = job().has(Failed.because("BackoffLimitExceeded"));
        let all_counted = job().failed(3);
        Expectations::from([
            ("one failure is one too many", eventually(declared.clone())),
            ("no pod is started after that", after(&declared, never(pods().created()))),
            (
                "pods that still stop are counted already",
                eventually(all_counted.clone().and(job().terminating(2)).and(pods().that_are(terminating()).count(2))),
            ),
            ("and not a second time", stable(&all_counted)),
            ("the Job fails only when they have stopped", whenever(&failed, pods().all(stopped()))),
            ("and then it does", after(&declared, eventually(failed.clone()))),
        ])
    }
}
