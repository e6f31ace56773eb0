//! A deadline of zero.

use crate::words::*;

/// A Job with a deadline of zero fails without ever having had a pod.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "zero is accepted and has passed at the first look",
            },
            requirements: &["DLN-007"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).deadline(0)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let why = "Job was active longer than specified deadline";
        let decided = job().has(FailureTarget.because("DeadlineExceeded").saying(why));
        let failed = job().has(Failed.because("DeadlineExceeded").saying(why));
        Expectations::from([
            ("the deadline has passed at once", eventually(decided.clone())),
            ("the Job then fails for that reason", after(&decided, eventually(failed))),
            ("no pod is made", after(&job().exists(), never(pods().created()))),
        ])
    }
}
