//! The lowest limit of pods that are restarted in place.

use crate::words::*;

/// With a limit of 0 the first restart ends the Job, and no restart does not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit with restartPolicy OnFailure",
                says: "a limit of 0 is exceeded by the first restart",
            },
            requirements: &["BKO-002"],
            needs: Needs { one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(0).restarts_in_place()).await?;
        scene.wait(job().ready(1)).await?;
        scene.linger(Duration::from_secs(2), "no restart is not yet as many as the limit").await?;
        scene.some_pod().is_restarted(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let restarted = pods().any(restarted_times(1));
        Expectations::from([
            ("without a restart the Job runs", before(&restarted, never(job().has(FailureTarget)))),
            ("and so does its pod", before(&restarted, never(pods().any(stopping())))),
            (
                "the first restart ends it",
                after(&restarted, eventually(job().has(FailureTarget.because("BackoffLimitExceeded")))),
            ),
            ("with failure", after(&restarted, eventually(job().has(Failed.because("BackoffLimitExceeded"))))),
        ])
    }
}
