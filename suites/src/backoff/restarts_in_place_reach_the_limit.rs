//! The backoff limit of pods that are restarted in place.

use crate::words::*;

/// Restarts of all running pods together end the Job as soon as there are as many as the limit; none of them has to fail.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit with restartPolicy OnFailure",
                says: "restarts are summed over the Job's pods and must stay below the limit",
            },
            requirements: &["BKO-002", "BKO-004"],
            needs: Needs { one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit(2).restarts_in_place()).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).is_restarted(1).await?;
        scene.linger(Duration::from_secs(2), "one restart must be seen not to end the Job").await?;
        scene.pod(1).is_restarted(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let restarted = index(1).any(restarted_times(1));
        let says = "Job has reached the specified backoff limit";
        let declared = job().has(FailureTarget.because("BackoffLimitExceeded").saying(says));
        Expectations::from([
            ("below the limit the Job goes on", before(&restarted, never(job().has(FailureTarget)))),
            ("and leaves its pods alone", before(&restarted, never(pods().any(stopping())))),
            ("at the limit it ends", after(&restarted, eventually(declared.clone()))),
            ("its pods are stopped", after(&declared, eventually(pods().all(stopping())))),
            ("it has failed", eventually(job().has(Failed.because("BackoffLimitExceeded").saying(says)))),
        ])
    }
}
