//! Containers that a kubelet starts again.

use crate::words::*;

/// Below the limit, a container that fails is restarted in its pod, and the Job counts no failure.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit with restartPolicy OnFailure",
                says: "restarts below the limit neither fail the Job nor replace the pod",
            },
            requirements: &["BKO-002", "PFP-017"],
            needs: Needs { pods: PodNeeds::Real { nodes: 1 }, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).backoff_limit(3).restarts_in_place()).await?;
        scene.wait(pods().running(1)).await?;
        scene.pod(0).is_restarted(1).await?;
        scene.pod(0).tells("restarted container").await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let restarted = index(0).any(restarted_times(1));
        Expectations::from([
            ("the container is restarted", eventually(restarted.clone())),
            ("in the same pod", after(&restarted, never(pods().created()))),
            (
                "and still knows its index",
                eventually(answer("restarted container").has("/environment/JOB_COMPLETION_INDEX", "0")),
            ),
            ("no failure is counted", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
