//! A deadline and a suspension.

use crate::words::*;

/// A suspended Job cannot miss its deadline, and a resumed one has its full time again: since its start time is cleared.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "time in suspension does not count towards the deadline",
            },
            requirements: &["DLN-004", "SUS-003"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy", "MutableSchedulingDirectivesForSuspendedJobs"],
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).deadline(8)).await?;
        scene.wait(pods().count(1).and(job().has_started())).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended)).await?;
        scene.linger(Duration::from_secs(9), "the deadline would pass").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let why = "Job was active longer than specified deadline";
        let decided = job().has(FailureTarget.because("DeadlineExceeded").saying(why));
        let failed = job().has(Failed.because("DeadlineExceeded").saying(why));
        let (suspended, resumed) = (job().has(Suspended), job().has(Suspended.is_false()));
        let undecided = never(job().has(FailureTarget));
        let in_time = eventually_within(Duration::from_secs(15), decided.clone());
        Expectations::from([
            ("a suspended Job is not failed", after(&suspended, before(&resumed, undecided))),
            (
                "nor one that was just resumed",
                // Two seconds short of the deadline: whoever counts some of the time before fails it sooner.
                after(&resumed, never(job().has_since_its_spec_within(FailureTarget, 6))),
            ),
            ("the deadline decides in time", after(&resumed, in_time)),
            ("counted from the new start", whenever(&decided, job().has_past_its_deadline(FailureTarget))),
            ("the Job then fails for that reason", after(&decided, eventually(failed))),
        ])
    }
}
