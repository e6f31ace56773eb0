//! The status of a Job, read once and written whole.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_api::{ConditionKind, IndexSet};
use k8s_openapi::api::batch::v1::{JobCondition, JobStatus, UncountedTerminatedPods};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::Uid;

/// A Job's status. Two statuses are equal when writing one over the other would change nothing (SYN-025).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Conditions, in the order of the API object; unknown ones are kept (STA-018).
    pub conditions: Vec<Condition>,
    /// `startTime`.
    pub start_time: Option<Timestamp>,
    /// `completionTime`.
    pub completion_time: Option<Timestamp>,
    /// `active`.
    pub active: u32,
    /// `ready`; null until the controller wrote once (STA-016).
    pub ready: Option<u32>,
    /// `terminating`.
    pub terminating: Option<u32>,
    /// `succeeded`.
    pub succeeded: u32,
    /// `failed`.
    pub failed: u32,
    /// `completedIndexes`.
    pub completed: Arc<IndexSet>,
    /// `failedIndexes`.
    pub failed_indexes: Option<Arc<IndexSet>>,
    /// `uncountedTerminatedPods`.
    pub uncounted: Uncounted,
    /// Whether the stored text of an index set says something else than the set read from it: out of range, broken or
    /// not in the usual form, so that it is to be written again (IDX-019).
    pub stale_text: bool,
}

/// Pods whose end is recorded but not yet in the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncounted {
    /// Pods that succeeded (never used by Indexed Jobs, IDX-018).
    pub succeeded: Vec<Uid>,
    /// Pods that failed.
    pub failed: Vec<Uid>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `type`.
    pub kind: Arc<str>,
    /// `status`: `True`, `False` or `Unknown`.
    pub status: Arc<str>,
    /// `reason`.
    pub reason: Arc<str>,
    /// `message`.
    pub message: Arc<str>,
    /// `lastProbeTime`.
    pub last_probe: Option<Timestamp>,
    /// `lastTransitionTime`.
    pub last_transition: Option<Timestamp>,
}

impl Uncounted {
    /// Whether no pod waits for being counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.succeeded.is_empty() && self.failed.is_empty()
    }
}

impl Condition {
    /// A condition that comes to hold at this moment (STA-008).
    #[must_use]
    pub fn new(kind: ConditionKind, status: &str, reason: &str, message: &str, at: Timestamp) -> Self {
        Self {
            kind: kind.as_str().into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
            last_probe: Some(at),
            last_transition: Some(at),
        }
    }

    /// Whether the condition holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        &*self.status == "True"
    }
}

impl Status {
    /// Reads the status of a Job with this many completions; `None` for Jobs without indexes, whose index fields are
    /// not looked at (IDX-015).
    #[must_use]
    pub fn parse(status: &JobStatus, indexes_below: Option<u32>) -> Self {
        let (completed, fresh) = read_indexes(status.completed_indexes.as_deref(), indexes_below);
        let (failed_indexes, failed_fresh) = read_indexes(status.failed_indexes.as_deref(), indexes_below);
        let uncounted = status.uncounted_terminated_pods.as_ref();
        let uids = |list: Option<&Vec<String>>| list.into_iter().flatten().map(|uid| Uid::from(uid.as_str())).collect();
        Self {
            conditions: status.conditions.iter().flatten().map(read_condition).collect(),
            start_time: status.start_time.as_ref().map(|time| time.0),
            completion_time: status.completion_time.as_ref().map(|time| time.0),
            active: count(status.active),
            ready: status.ready.map(|n| count(Some(n))),
            terminating: status.terminating.map(|n| count(Some(n))),
            succeeded: count(status.succeeded),
            failed: count(status.failed),
            completed: Arc::new(completed),
            failed_indexes: status.failed_indexes.as_ref().map(|_| Arc::new(failed_indexes)),
            uncounted: Uncounted {
                succeeded: uids(uncounted.and_then(|u| u.succeeded.as_ref())),
                failed: uids(uncounted.and_then(|u| u.failed.as_ref())),
            },
            stale_text: !(fresh && failed_fresh),
        }
    }

    /// The status as the API has it, whoever manages the Job (MGB-008, STA-016, STA-017, IDX-029).
    #[must_use]
    pub fn to_api(&self) -> JobStatus {
        let some = |n: u32| (n > 0).then(|| signed(n));
        let uids = |list: &[Uid]| (!list.is_empty()).then(|| list.iter().map(ToString::to_string).collect());
        JobStatus {
            active: some(self.active),
            completed_indexes: (!self.completed.is_empty()).then(|| self.completed.to_text()),
            completion_time: self.completion_time.map(Time),
            conditions: (!self.conditions.is_empty()).then(|| self.conditions.iter().map(write_condition).collect()),
            failed: some(self.failed),
            failed_indexes: self.failed_indexes.as_ref().map(|set| set.to_text()),
            ready: self.ready.map(signed),
            start_time: self.start_time.map(Time),
            succeeded: some(self.succeeded),
            terminating: self.terminating.map(signed),
            uncounted_terminated_pods: Some(UncountedTerminatedPods {
                succeeded: uids(&self.uncounted.succeeded),
                failed: uids(&self.uncounted.failed),
            }),
        }
    }

    /// The condition of this kind.
    #[must_use]
    pub fn condition(&self, kind: ConditionKind) -> Option<&Condition> {
        self.conditions.iter().find(|condition| &*condition.kind == kind.as_str())
    }

    /// Whether the condition of this kind is True.
    #[must_use]
    pub fn holds(&self, kind: ConditionKind) -> bool {
        self.condition(kind).is_some_and(Condition::is_true)
    }

    /// Whether the Job is finished: Complete or Failed (SYN-019).
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.holds(ConditionKind::Complete) || self.holds(ConditionKind::Failed)
    }
}

fn count(number: Option<i32>) -> u32 {
    number.map_or(0, |n| u32::try_from(n).unwrap_or(0))
}

fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// The set, and whether the text is exactly its usual form.
fn read_indexes(text: Option<&str>, below: Option<u32>) -> (IndexSet, bool) {
    let text = text.unwrap_or_default();
    let Some(below) = below else { return (IndexSet::new(), text.is_empty()) };
    match IndexSet::parse_plain(text) {
        Some(set) if set.last().is_none_or(|last| last < below) => (set, true),
        _ => (IndexSet::parse_lenient(text, below), false),
    }
}

fn read_condition(condition: &JobCondition) -> Condition {
    Condition {
        kind: condition.type_.as_str().into(),
        status: condition.status.as_str().into(),
        reason: condition.reason.as_deref().unwrap_or_default().into(),
        message: condition.message.as_deref().unwrap_or_default().into(),
        last_probe: condition.last_probe_time.as_ref().map(|time| time.0),
        last_transition: condition.last_transition_time.as_ref().map(|time| time.0),
    }
}

fn write_condition(condition: &Condition) -> JobCondition {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    JobCondition {
        type_: condition.kind.to_string(),
        status: condition.status.to_string(),
        reason: text(&condition.reason),
        message: text(&condition.message),
        last_probe_time: condition.last_probe.map(Time),
        last_transition_time: condition.last_transition.map(Time),
    }
}
