//! A deadline and a suspension, before start times were cleared.

use crate::words::*;

/// Also where a suspended Job keeps its start time a resumed one has its full time again.
///
/// KEP-2232 promises it. The built-in controller looks at the deadline before it gives a resumed Job its new start time
/// (`syncJob` in `pkg/controller/job/job_controller.go` of 1.35.4), so there a Job fails that is resumed later than its old deadline.
pub struct This;

const DEADLINE: u32 = 10;
/// Short of the deadline: whoever counts the time before fails it sooner.
const SOONER: i64 = 8;

const RUNS: &str = "a resumed one runs again";
const LASTS: &str = "and has its full time";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "time in suspension does not count towards the deadline, also where the start time is kept",
            },
            requirements: &["DLN-004"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy"],
                gates_off: &["MutableSchedulingDirectivesForSuspendedJobs"],
                since: Some(Minor::new(1, 31)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).deadline(DEADLINE)).await?;
        // Whether the pod runs does not matter, and may take as long as the deadline.
        scene.wait(pods().count(1).and(job().has_started())).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended)).await?;
        scene.linger(Duration::from_secs(11), "the deadline would pass").await?;
        scene.mark("resumed").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let why = "Job was active longer than specified deadline";
        let decided = job().has(FailureTarget.because("DeadlineExceeded").saying(why));
        let failed = job().has(Failed.because("DeadlineExceeded").saying(why));
        let (suspended, resumed) = (job().has(Suspended), passed("resumed"));
        let undecided = never(job().has(FailureTarget));
        Expectations::from([
            ("a suspended Job is not failed", after(&suspended, before(&resumed, undecided))),
            (RUNS, after(&resumed, eventually(job().has(Suspended.is_false())))),
            (LASTS, after(&resumed, never(job().has_since_its_spec_within(FailureTarget, SOONER)))),
            ("then the deadline decides", after(&resumed, eventually(decided.clone()))),
            ("the Job fails for that reason", after(&decided, eventually(failed))),
        ])
        .known(KnownDeviation {
            subject: "builtin",
            since: Minor::new(1, 31),
            until: None,
            mended_in: &[],
            unless: None,
            breaks: &[RUNS, LASTS],
            source: "docs/differences.md",
        })
    }
}
