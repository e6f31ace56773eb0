//! S33: a decision says why, and when it was made (STA-008, BKO-004, DLN-001, BLI-008, SUC-020).
//!
//! Which reasons there are is documented of the built-in controller, and of whoever stands in for it; controllers of
//! `spec.managedBy` may have others. What a reason speaks of must be in the spec, whoever decides. Whether a time lies in the future is
//! judged where one clock made it and the recording: not where others share the cluster. Messages are for people, and may be reworded.

use super::{
    Invariant,
    findings::Findings,
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, setting::Ownership, timeline::Timeline};
use jiff::{SignedDuration, Timestamp};
use jobsworth_api::{
    ConditionKind::{self, Complete, Failed, FailureTarget, SuccessCriteriaMet, Suspended},
    condition::reason,
};
use k8s_openapi::api::batch::v1::{Job, JobCondition, JobSpec};

/// How far the clock of a machine that is busy or set meanwhile may be ahead of what the recording counts from its beginning.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(10);

pub(super) struct DecisionReason;

impl Invariant for DecisionReason {
    fn id(&self) -> &'static str {
        "S33"
    }

    fn says(&self) -> &'static str {
        "a condition has a documented reason that the spec has room for, and no time to come"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::Suspension]).own {
            let mut judged: Vec<&JobCondition> = Vec::new();
            for version in &history.job.versions {
                for condition in reading::conditions(&version.object).iter().filter(|condition| is_told(condition)) {
                    // Where it stands for the first time in this form; later versions repeat it.
                    if !judged.contains(&condition) {
                        judged.push(condition);
                        findings.occasion();
                        flaws(&mut findings, timeline, &history, version, condition);
                    }
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject was decided or suspended")
    }
}

const KINDS: [ConditionKind; 5] = [SuccessCriteriaMet, FailureTarget, Complete, Failed, Suspended];

/// Whether it tells of a decision, a suspension, or the end of one.
fn is_told(condition: &JobCondition) -> bool {
    let is_of = |kind: &ConditionKind| condition.type_ == kind.as_str();
    match condition.status.as_str() {
        "True" => KINDS.iter().any(is_of),
        _ => is_of(&Suspended),
    }
}

fn flaws(
    findings: &mut Findings,
    timeline: &Timeline,
    history: &JobHistory,
    version: &Version<Job>,
    condition: &JobCondition,
) {
    let why = reading::reason(condition);
    let observed = format!("Job {}: {} because of {why:?}", history.name(), condition.type_);
    let is_documented = matches!(timeline.setting.ownership, Ownership::BuiltIn | Ownership::DropIn);
    if is_documented && !documented(condition).contains(&why) {
        let expected = format!("one of the reasons {}", documented(condition).join(", "));
        findings.breach(version, expected, observed.clone());
    }
    // Some fields may be taken away again once they have decided.
    let mut until = history.job.versions.iter().take_while(|known| known.revision <= version.revision);
    let lacks = |known: &Version<Job>| known.object.spec.as_ref().and_then(|spec| unset(why, spec));
    if let Some(field) = lacks(version).filter(|_| until.all(|known| lacks(known).is_some())) {
        findings.breach(version, format!("a Job with {field}"), observed.clone());
    }
    if let Some(time) = reading::transition(condition).filter(|time| is_to_come(timeline, version, *time)) {
        findings.breach(version, "no time that is still to come", format!("{observed}, since {time}"));
    }
}

/// Reasons of conditions like this.
fn documented(condition: &JobCondition) -> &'static [&'static str] {
    match condition.type_.as_str() {
        kind if kind == Suspended.as_str() && condition.status == "True" => &[reason::JOB_SUSPENDED],
        kind if kind == Suspended.as_str() => &[reason::JOB_RESUMED],
        kind if kind == Complete.as_str() || kind == SuccessCriteriaMet.as_str() => {
            // None where the success policy is off.
            &[reason::COMPLETIONS_REACHED, reason::SUCCESS_POLICY, ""]
        }
        _ => &[
            reason::BACKOFF_LIMIT_EXCEEDED,
            reason::DEADLINE_EXCEEDED,
            reason::POD_FAILURE_POLICY,
            reason::FAILED_INDEXES,
            reason::MAX_FAILED_INDEXES_EXCEEDED,
        ],
    }
}

/// The field that the reason speaks of, where the Job has none.
fn unset(why: &str, spec: &JobSpec) -> Option<&'static str> {
    let (field, is_set) = match why {
        reason::SUCCESS_POLICY => ("successPolicy", spec.success_policy.is_some()),
        reason::POD_FAILURE_POLICY => ("podFailurePolicy", spec.pod_failure_policy.is_some()),
        reason::FAILED_INDEXES => ("backoffLimitPerIndex", spec.backoff_limit_per_index.is_some()),
        reason::MAX_FAILED_INDEXES_EXCEEDED => ("maxFailedIndexes", spec.max_failed_indexes.is_some()),
        _ => return None,
    };
    (!is_set).then_some(field)
}

/// Whether this time had not come when the version was heard of.
pub(super) fn is_to_come(timeline: &Timeline, version: &Version<Job>, time: Timestamp) -> bool {
    let heard = SignedDuration::try_from(version.at).ok().and_then(|at| timeline.setting.started.checked_add(at).ok());
    !timeline.setting.shared && heard.is_some_and(|heard| time > heard + TOLERANCE)
}
