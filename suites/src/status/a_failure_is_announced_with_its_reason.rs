//! Events of a Job that fails.

use crate::words::*;

/// A Job that fails leaves a warning with the reason and message of its Failed condition.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "events",
                says: "a Warning with reason and message of the Failed condition, once, after it is written",
            },
            requirements: &["EVT-006", "EVT-003", "BKO-004", "STA-004"],
            needs: Needs { one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().fails(1).await?;
        scene.wait(job().is_finished().and(notice("BackoffLimitExceeded").was_written())).await
    }

    fn expects(&self) -> Expectations {
        let message = "Job has reached the specified backoff limit";
        let failed = job().has(Failed.because("BackoffLimitExceeded").saying(message));
        Expectations::from([
            (
                "the decision is written first",
                eventually(job().has(FailureTarget.because("BackoffLimitExceeded").saying(message))),
            ),
            ("the end repeats it", eventually(failed.clone())),
            (
                "and is announced as a warning",
                eventually(notice("BackoffLimitExceeded").on("Job/job").saying(message).that_warns().was_written()),
            ),
            ("not before it is written", before(&failed, never(notice("BackoffLimitExceeded").was_written()))),
            ("once", never(notice("BackoffLimitExceeded").more_than(1))),
            (
                "the pod that was stopped is announced",
                eventually(notice("SuccessfulDelete").saying("Deleted pod: job-").was_written()),
            ),
            ("and counted", whenever(&failed, job().failed(2))),
        ])
    }
}
