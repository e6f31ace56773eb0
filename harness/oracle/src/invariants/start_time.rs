//! S31: the start time is set once a period, and the deadline counts from it (STA-011, SUS-001, SUS-003, SUS-009,
//! DLN-001, DLN-004, VST-110, VST-112).

use super::{
    Invariant,
    decision_reason::is_to_come,
    findings::{Findings, lost_jobs, lost_jobs_before},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, timeline::Timeline};
use jiff::{SignedDuration, Timestamp};
use jobsworth_api::{
    ConditionKind::{Failed, FailureTarget, Suspended},
    condition::reason,
};
use k8s_openapi::api::batch::v1::Job;

pub(super) struct StartTime;

/// Longer deadlines are beyond the nanoseconds of Kubernetes: the built-in controller's arithmetic wraps, and such a
/// Job may fail at once (docs/differences.md).
const LONGEST: i64 = i64::MAX / 1_000_000_000;

impl Invariant for StartTime {
    fn id(&self) -> &'static str {
        "S31"
    }

    fn says(&self) -> &'static str {
        "startTime changes only by suspending and resuming, and no deadline is exceeded before its time"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-011"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::Suspension, Part::Start]).own {
            for (before, after) in history.job.steps().filter(|_| !lost_jobs(timeline)) {
                changes_rightly(&mut findings, timeline, history.name(), before, after);
            }
            deadline_was_due(&mut findings, timeline, &history);
        }
        findings.conclude(timeline, "no Job of the subject started")
    }
}

/// Not before the Job was there, nor still to come.
fn is_a_time_that_can_be(
    findings: &mut Findings,
    timeline: &Timeline,
    name: &str,
    version: &Version<Job>,
    start: Timestamp,
) {
    let created = version.object.metadata.creation_timestamp.as_ref().map(|time| time.0);
    let observed = || format!("Job {name}: startTime {start}, created {}", reading::shown(created));
    if created.is_some_and(|created| start + SignedDuration::from_secs(1) < created) && !timeline.setting.shared {
        findings.breach(version, "no start before the Job is there", observed());
    }
    if is_to_come(timeline, version, start) {
        findings.breach(version, "no start that is still to come", observed());
    }
}

fn changes_rightly(
    findings: &mut Findings,
    timeline: &Timeline,
    name: &str,
    before: &Version<Job>,
    after: &Version<Job>,
) {
    let (was, is) = (reading::start_time(&before.object), reading::start_time(&after.object));
    if was.is_some() || is.is_some() {
        findings.occasion();
    }
    if was == is {
        return;
    }
    if let Some(start) = is {
        is_a_time_that_can_be(findings, timeline, name, after, start);
    }
    let is_suspended = reading::is_suspended(&after.object);
    // The write that ends a suspension is the one that turns the condition (SUS-003).
    let resumes =
        reading::held(&before.object, Suspended).is_some() && reading::held(&after.object, Suspended).is_none();
    // The API server takes no end without a start (VST-110), so a Job that ends while it is suspended gets one with its end.
    let ends = reading::is_finished(&after.object) && !reading::is_finished(&before.object);
    let expected = match (was, is) {
        (None, Some(_)) if is_suspended && !ends => "a suspended Job does not start",
        (Some(_), None) if !is_suspended => "only suspending clears startTime",
        (Some(_), Some(_)) if !resumes => "only resuming changes startTime",
        _ => return,
    };
    let observed = format!("Job {name}: startTime {} → {}", reading::shown(was), reading::shown(is));
    findings.breach(after, expected, observed);
}

fn deadline_was_due(findings: &mut Findings, timeline: &Timeline, history: &JobHistory) {
    let exceeded = |job: &Job| {
        let condition = reading::held(job, FailureTarget).or_else(|| reading::held(job, Failed))?;
        (reading::reason(condition) == reason::DEADLINE_EXCEEDED).then(|| condition.clone())
    };
    let versions = &history.job.versions;
    let Some(first) = versions.iter().position(|version| exceeded(&version.object).is_some()) else { return };
    let version = &versions[first];
    findings.occasion();
    // The version that declared it may be lost, and the deadline or the suspension may have been edited since.
    if lost_jobs_before(timeline, first.checked_sub(1).map(|before| &versions[before]), version) {
        return;
    }
    let name = history.name();
    if reading::is_suspended(&version.object) {
        findings.breach(
            version,
            "no deadline runs while suspended",
            format!("Job {name}: DeadlineExceeded, suspended"),
        );
    }
    let deadline = version.object.spec.as_ref().and_then(|spec| spec.active_deadline_seconds);
    let declared = exceeded(&version.object).as_ref().and_then(reading::transition);
    let (Some(deadline), Some(start), Some(declared)) = (deadline, reading::start_time(&version.object), declared)
    else {
        let observed = format!("Job {name}: DeadlineExceeded without activeDeadlineSeconds or startTime");
        return findings.breach(version, "a deadline and a start", observed);
    };
    if deadline > LONGEST {
        return;
    }
    let due = start + SignedDuration::from_secs(deadline);
    if declared + SignedDuration::from_secs(1) < due {
        let observed = format!("Job {name}: startTime {start}, deadline {deadline} s, DeadlineExceeded at {declared}");
        findings.breach(version, format!("not before {due}"), observed);
    }
}
