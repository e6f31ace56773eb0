//! A deadline and a controller that restarts.

use crate::words::*;

/// A deadline is kept by a controller that was restarted after the Job began, and counts from the Job's start.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "the remaining time is computed anew from the start time",
            },
            requirements: &["DLN-006", "SYN-026"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy"],
                since: Some(Minor::new(1, 31)),
                restarts_subject: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // Whether the pod runs does not matter, and may take as long as the deadline.
        scene.submit(counted(1, 1).deadline(8)).await?;
        scene.wait(pods().count(1).and(job().has_started())).await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let why = "Job was active longer than specified deadline";
        let decided = job().has(FailureTarget.because("DeadlineExceeded").saying(why));
        let failed = job().has(Failed.because("DeadlineExceeded").saying(why));
        let again = passed("subject restarted");
        let in_time = eventually_within(Duration::from_secs(16), decided.clone());
        Expectations::from([
            ("the Job began before", before(&again, eventually(job().has_started()))),
            ("and was undecided", before(&again, never(job().has(FailureTarget)))),
            ("the deadline decides in time", after(&again, in_time)),
            ("not before it has passed", whenever(&decided, job().has_past_its_deadline(FailureTarget))),
            ("the Job then fails for that reason", after(&decided, eventually(failed))),
        ])
    }
}
