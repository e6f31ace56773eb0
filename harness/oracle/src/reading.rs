//! What the fields of Jobs and pods say, with the defaults that absence stands for.

use crate::regimes::Regimes;
use jiff::Timestamp;
use jobsworth_api::{ConditionKind, IndexSet, well_known};
use k8s_openapi::{
    api::{
        batch::v1::{Job, JobCondition, JobStatus},
        core::v1::Pod,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};

/// Under this name the writes of scripts stand in `managedFields`.
pub(crate) const SCRIPT: &str = "jobsworth-script";

/// The condition of this kind, if it is True.
pub(crate) fn held(job: &Job, kind: ConditionKind) -> Option<&JobCondition> {
    conditions(job).iter().find(|condition| condition.type_ == kind.as_str() && condition.status == "True")
}

pub(crate) fn conditions(job: &Job) -> &[JobCondition] {
    job.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default()
}

/// The terminal condition that is True, if one is.
pub(crate) fn terminal(job: &Job) -> Option<&JobCondition> {
    held(job, ConditionKind::Complete).or_else(|| held(job, ConditionKind::Failed))
}

/// The decision that is durable in this version: an interim or a terminal condition.
pub(crate) fn decision(job: &Job) -> Option<&JobCondition> {
    held(job, ConditionKind::SuccessCriteriaMet)
        .or_else(|| held(job, ConditionKind::FailureTarget))
        .or_else(|| terminal(job))
}

pub(crate) fn is_finished(job: &Job) -> bool {
    terminal(job).is_some()
}

/// One counter of the status; absent is 0.
pub(crate) fn counter(job: &Job, of: impl Fn(&JobStatus) -> Option<i32>) -> i32 {
    job.status.as_ref().and_then(of).unwrap_or(0)
}

pub(crate) fn succeeded(job: &Job) -> i32 {
    counter(job, |status| status.succeeded)
}

pub(crate) fn failed(job: &Job) -> i32 {
    counter(job, |status| status.failed)
}

/// UIDs in `uncountedTerminatedPods.succeeded`.
pub(crate) fn uncounted_succeeded(job: &Job) -> &[String] {
    let uncounted = job.status.as_ref().and_then(|status| status.uncounted_terminated_pods.as_ref());
    uncounted.and_then(|lists| lists.succeeded.as_deref()).unwrap_or_default()
}

/// UIDs in `uncountedTerminatedPods.failed`.
pub(crate) fn uncounted_failed(job: &Job) -> &[String] {
    let uncounted = job.status.as_ref().and_then(|status| status.uncounted_terminated_pods.as_ref());
    uncounted.and_then(|lists| lists.failed.as_deref()).unwrap_or_default()
}

pub(crate) fn is_indexed(job: &Job) -> bool {
    job.spec.as_ref().and_then(|spec| spec.completion_mode.as_deref()) == Some("Indexed")
}

pub(crate) fn completions(job: &Job) -> Option<i32> {
    job.spec.as_ref().and_then(|spec| spec.completions)
}

/// `spec.completions` as a bound of indexes; 0 when unset.
pub(crate) fn index_bound(job: &Job) -> u32 {
    completions(job).and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
}

pub(crate) fn parallelism(job: &Job) -> i32 {
    job.spec.as_ref().and_then(|spec| spec.parallelism).unwrap_or(1)
}

pub(crate) fn backoff_limit(job: &Job) -> i32 {
    job.spec.as_ref().and_then(|spec| spec.backoff_limit).unwrap_or(6)
}

pub(crate) fn is_suspended(job: &Job) -> bool {
    job.spec.as_ref().and_then(|spec| spec.suspend).unwrap_or(false)
}

pub(crate) fn is_deleting(metadata: &ObjectMeta) -> bool {
    metadata.deletion_timestamp.is_some()
}

pub(crate) fn completed_text(job: &Job) -> &str {
    job.status.as_ref().and_then(|status| status.completed_indexes.as_deref()).unwrap_or("")
}

pub(crate) fn failed_text(job: &Job) -> Option<&str> {
    job.status.as_ref().and_then(|status| status.failed_indexes.as_deref())
}

/// The indexes in `completedIndexes`; a text that is none reads as the empty set.
pub(crate) fn completed(job: &Job) -> IndexSet {
    completed_text(job).parse().unwrap_or_default()
}

/// The indexes in `failedIndexes`; a text that is none reads as the empty set.
pub(crate) fn failed_set(job: &Job) -> IndexSet {
    failed_text(job).unwrap_or("").parse().unwrap_or_default()
}

pub(crate) fn start_time(job: &Job) -> Option<Timestamp> {
    job.status.as_ref().and_then(|status| status.start_time.as_ref()).map(|time| time.0)
}

pub(crate) fn completion_time(job: &Job) -> Option<Timestamp> {
    job.status.as_ref().and_then(|status| status.completion_time.as_ref()).map(|time| time.0)
}

pub(crate) fn transition(condition: &JobCondition) -> Option<Timestamp> {
    condition.last_transition_time.as_ref().map(|time| time.0)
}

/// An optional thing in words.
pub(crate) fn shown<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| value.to_string())
}

/// The reason of a condition; absent is empty.
pub(crate) fn reason(condition: &JobCondition) -> &str {
    condition.reason.as_deref().unwrap_or("")
}

/// The message of a condition; absent is empty.
pub(crate) fn message(condition: &JobCondition) -> &str {
    condition.message.as_deref().unwrap_or("")
}

/// Whether the terminal condition waits for the pods: on with either of two gates (section 1.1). `None` while one of
/// them is being switched and the other is off.
pub(crate) fn waits_for_pods(regimes: &Regimes, revision: u64) -> Option<bool> {
    match (regimes.gate("JobManagedBy", revision), regimes.gate("JobPodReplacementPolicy", revision)) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Whether a pod that is told to stop is replaced only once it has stopped (PRP-002, PFP-014). `gate` says whether
/// JobPodReplacementPolicy is on for certain.
pub(crate) fn replaces_only_failed(gate: bool, job: &Job) -> bool {
    let Some(spec) = &job.spec else { return false };
    let policy = spec.pod_replacement_policy.as_deref() == Some("Failed") && gate;
    policy || spec.pod_failure_policy.is_some()
}

/// Whether a manager of this name wrote to the object, as `managedFields` has it.
pub(crate) fn is_written_by(metadata: &ObjectMeta, manager: &str, subresource: Option<&str>) -> bool {
    metadata.managed_fields.iter().flatten().any(|entry| {
        entry.manager.as_deref() == Some(manager)
            && entry.subresource.as_deref().filter(|s| !s.is_empty()) == subresource
    })
}

/// A label of an object.
pub(crate) fn label<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.labels.as_ref().and_then(|labels| labels.get(key)).map(String::as_str)
}

/// An annotation of an object.
pub(crate) fn annotation<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.annotations.as_ref().and_then(|annotations| annotations.get(key)).map(String::as_str)
}

/// Counted and ignored failures of the index before this pod (BLI-001); unreadable is 0 (BLI-002).
pub(crate) fn failures_before(pod: &Pod) -> (u32, u32) {
    let count = |key: &str| annotation(&pod.metadata, key).and_then(|text| text.parse().ok()).unwrap_or(0);
    (count(well_known::INDEX_FAILURE_COUNT), count(well_known::INDEX_IGNORED_FAILURE_COUNT))
}
