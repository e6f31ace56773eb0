//! A deadline of a Job that has no pod just then.

use crate::words::*;

/// The deadline is kept while the delay after a failed pod runs, and by a Job whose parallelism is zero.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "the deadline is kept by a timer of its own, whatever else is waited for",
            },
            requirements: &["DLN-001", "DLN-002", "BKO-006"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 0).named("idle").deadline(3)).await?;
        scene.submit(counted(1, 1).backoff_limit(6).deadline(7)).await?;
        scene.pod_of("job").fails(1).await?;
        scene.wait(job_named("idle").is_finished()).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let idle = job_named("idle");
        let decided = job().has(FailureTarget.because("DeadlineExceeded"));
        let idle_decided = idle.has(FailureTarget.because("DeadlineExceeded"));
        let in_time = |decided: &Predicate| eventually_within(Duration::from_secs(12), decided.clone());
        Expectations::from([
            ("a pod fails before the deadline", before(&decided, eventually(job().failed(1)))),
            // The next one would come ten seconds after the first had failed.
            ("none takes its place", never(pods().of("job").at_least(2))),
            ("the deadline decides in time", after(&job().has_started(), in_time(&decided))),
            (
                "not before it has passed",
                whenever(&job().has(FailureTarget), job().has_past_its_start_by(FailureTarget, 7)),
            ),
            ("a Job that asks for no pods has its deadline, too", after(&idle.has_started(), in_time(&idle_decided))),
            ("and fails for it", eventually(idle.has(Failed.because("DeadlineExceeded")))),
        ])
    }
}
