//! A deadline and a suspension, before start times were cleared.

use crate::words::*;

/// Where a suspended Job keeps its start time, one that is resumed after its old deadline fails at once.
///
/// KEP-2232 promises the full time anew. But the deadline is looked at before a resumed Job gets its new
/// start time (`syncJob` in `pkg/controller/job/job_controller.go` of 1.35.4).
pub struct This;

const DEADLINE: u32 = 10;
/// By the stored times; the full time anew would be longer.
const AT_ONCE: i64 = 8;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "time in suspension does not count towards the deadline; seen only while suspended",
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
            ("a resumed one is", after(&resumed, eventually(decided.clone()))),
            ("at once", whenever(&decided, job().has_since_its_spec_within(FailureTarget, AT_ONCE))),
            ("without a pod", after(&resumed, never(pods().created()))),
            ("and without being resumed", after(&resumed, never(job().has(Suspended.is_false())))),
            ("the Job then fails for that reason", after(&decided, eventually(failed))),
        ])
    }
}
