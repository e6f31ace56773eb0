//! Failures of a Job that is gone.

use crate::words::*;

/// A Job of the same name as one whose pod has just failed has its first pod at once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "back-off of failed pods",
                says: "what is remembered of a Job goes with it",
            },
            requirements: &["SYN-017", "SYN-018"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(6)).await?;
        scene.wait(job().ready(1)).await?;
        scene.some_pod().fails(1).await?;
        scene.wait(job().failed(1).and(pods().all(untracked()))).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone()).await?;
        scene.mark("another one").await?;
        scene.submit(counted(1, 1).backoff_limit(6)).await?;
        scene.wait(pods().that_are(live()).count(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let another = passed("another one");
        let there = another.clone().and(job().exists());
        Expectations::from([
            ("a pod has failed", before(&another, eventually(job().failed(1)))),
            // Ten seconds would be the delay after one failure.
            ("the other Job's comes soon", after(&there, eventually_within(Duration::from_secs(7), pods().created()))),
            ("the failure is not that Job's", after(&another, never(job().failed_at_least(1)))),
            ("it completes", after(&another, eventually(job().has(Complete)))),
        ])
    }
}
