//! A deadline that is changed while the Job runs.

use crate::words::*;

/// A deadline that is shortened counts from the start of the Job, and one that is taken away does not come.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "the field may change while the Job runs",
            },
            requirements: &["DLN-003"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("shortened").deadline(600)).await?;
        // Who counts its ready pod has looked at it since its start, and may have kept the deadline of then.
        scene.wait(job_named("shortened").ready(1)).await?;
        // So long that it is cancelled in time, however late pods and answers come.
        scene.submit(counted(1, 1).named("cancelled").deadline(15)).await?;
        scene.submit(counted(1, 1).named("other").deadline(15)).await?;
        scene.wait(pods().count(3)).await?;
        scene.patch("cancelled", json!({"spec": {"activeDeadlineSeconds": null}})).await?;
        scene.patch("shortened", json!({"spec": {"activeDeadlineSeconds": 4}})).await?;
        scene.wait(job_named("other").is_finished()).await?;
        scene.wait(job_named("shortened").is_finished()).await?;
        scene.linger(Duration::from_secs(1), "the cancelled deadline must have its chance").await?;
        scene.pod_of("cancelled").succeeds().await?;
        scene.wait(job_named("cancelled").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let [shortened, cancelled, other] = ["shortened", "cancelled", "other"].map(job_named);
        let late = FailureTarget.because("DeadlineExceeded");
        let brief = shortened.object("has a deadline of 4 s".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.active_deadline_seconds == Some(4))
        });
        let without = cancelled.object("has no deadline".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.active_deadline_seconds.is_none())
        });
        let cleared = without.and(cancelled.has(FailureTarget).negated());
        let in_time = eventually_within(Duration::from_secs(11), shortened.has(late.clone()));
        Expectations::from([
            ("the shortened deadline decides in time", after(&brief, in_time)),
            (
                "counted from the start",
                whenever(&shortened.has(late.clone()), shortened.has_past_its_start_by(FailureTarget, 4)),
            ),
            ("a deadline that is left alone decides", eventually(other.has(late))),
            ("the cancelled one does not", after(&cleared, never(cancelled.has(FailureTarget)))),
            ("so that Job can be complete", eventually(cancelled.has(Complete))),
        ])
    }
}
