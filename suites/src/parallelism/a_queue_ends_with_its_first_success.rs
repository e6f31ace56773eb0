//! Work queues.

use crate::words::*;

/// A Job without a number of completions makes no more pods once one has succeeded, and is complete when the rest have ended.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "work queue Jobs",
                says: "after the first success no pod is made, and the Job is complete when none is active",
            },
            requirements: &["PAR-002", "PAR-003", "DEF-001"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(work_queue(3).backoff_limit(6)).await?;
        scene.wait(pods().running(3)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1).and(job().active(2))).await?;
        scene.mark("the first has succeeded").await?;
        scene.some_pod().fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.mark("another has failed").await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let first = passed("the first has succeeded");
        let complete = job().has(Complete);
        Expectations::from([
            ("three work at first", before(&first, eventually(job().active(3)))),
            ("one success is not the end", before(&passed("another has failed"), never(complete.clone()))),
            ("no pod is made after it", after(&first, never(pods().created()))),
            ("a later failure is counted", after(&first, eventually(job().failed(1)))),
            ("but does not fail the Job", never(job().has(FailureTarget))),
            ("with the last pod the Job is complete", eventually(complete.clone())),
            ("with what was counted", whenever(&complete, job().succeeded(2).and(job().failed(1)))),
        ])
    }
}
