//! Recorded is recorded.

use jobsworth_suites::words::*;

/// A pod that is told to stop is recorded as failed; that it succeeds in the end changes nothing about it.
pub struct AStoppingPodSucceedsLate;

impl Case for AStoppingPodSucceedsLate {
    fn about(&self) -> About {
        About {
            id: "bench/a-stopping-pod-succeeds-late",
            claim: Claim {
                source: Source::JobController,
                section: "Job tracking with finalizers",
                says: "a pod that is in the list of failed pods is counted as failed, once",
            },
            requirements: &["FIN-009", "PRP-001"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).backoff_limit(6)).await?;
        scene.wait(pods().running(1).and(job().active(1))).await?;
        scene.some_pod().is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.some_pod().is_let_go(End::Exited(0)).await?;
        scene.wait(job().failed(1)).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let leaving = pods().any(terminating());
        Expectations::from([
            ("it counts as failed", after(&leaving, eventually(job().failed(1)))),
            ("only once", never(job().failed_at_least(2))),
            ("the Job completes with another pod", eventually(job().has(Complete).and(job().succeeded(1)))),
            ("only one success is counted", never(job().succeeded(2))),
        ])
    }
}
