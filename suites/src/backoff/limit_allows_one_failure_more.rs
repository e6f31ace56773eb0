//! The backoff limit of pods that are never restarted in place.

use crate::words::*;

/// A limit of 1 forgives one failure; the second one ends the Job.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit",
                says: "a Job fails when more pods have failed than its limit allows",
            },
            requirements: &["BKO-001", "BKO-003", "BKO-004", "BKO-016", "EVT-006"],
            needs: Needs { one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(1)).await?;
        scene.some_pod().ends(End::exited_long_ago(1)).await?;
        scene.some_pod().ends(End::exited_long_ago(1)).await?;
        scene.wait(job().is_finished()).await?;
        scene.wait(notice("BackoffLimitExceeded").was_written()).await
    }

    fn expects(&self) -> Expectations {
        let says = "Job has reached the specified backoff limit";
        let once = pods().that_are(failed()).at_least(1);
        let twice = pods().that_are(failed()).at_least(2);
        let declared = job().has(FailureTarget.because("BackoffLimitExceeded").saying(says));
        let failed = job().has(Failed.because("BackoffLimitExceeded").saying(says));
        Expectations::from([
            ("the first failure is forgiven", before(&twice, never(job().has(FailureTarget)))),
            ("another pod is tried", after(&once, eventually(pods().created()))),
            ("the second failure is one too many", after(&twice, eventually(declared))),
            ("no third pod is started", after(&twice, never(pods().created()))),
            ("the Job fails for the same reason", after(&twice, eventually(failed.clone()))),
            ("both failures are counted by then", whenever(&failed, job().failed(2))),
            (
                "and an event says so",
                after(&twice, eventually(notice("BackoffLimitExceeded").saying(says).was_written())),
            ),
        ])
    }
}
