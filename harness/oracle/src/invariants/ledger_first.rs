//! S14: a tracking finalizer goes away only once its pod is recorded (FIN-002, FIN-003, IDX-018).
//!
//! Recorded is a pod whose UID was in the stored ledger, or whose index was in the stored `completedIndexes`. Judged are pods that
//! ended by themselves. Left out is whatever may rightly be disregarded: everything under a pod failure policy, which may ignore
//! a failure, pods of Jobs that are deleted, decided, suspended or made smaller, pods without an index that counts, and pods that
//! ended while they were taken away. Whatever those were: a pod that the status records later has been let go too early, if that was the
//! controller's own request.

use super::{
    Invariant,
    asked::{Asked, is_of_status},
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    request::Request,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked, phase},
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};

pub(super) struct LedgerFirst;

impl Invariant for LedgerFirst {
    fn id(&self) -> &'static str {
        "S14"
    }

    fn says(&self) -> &'static str {
        "the tracking finalizer of a pod that ended goes only after the status has recorded the pod"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["FIN-002"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let parts = [Part::Decision, Part::Ledger, Part::Indexes, Part::EndedPods];
        let asked = Asked::of(timeline);
        for history in &JobHistories::resting_on(timeline, &parts).own {
            let must_record = must_record(history);
            for pod in history.pods.iter().filter(|pod| history.has_kept(pod)) {
                let Some((released, when)) = released_by_request(history, pod, &asked)
                    .map(|released| (released, "later"))
                    .or_else(|| Some((released(history, pod).filter(|_| must_record)?, "nowhere")))
                else {
                    continue;
                };
                findings.occasion();
                if !is_recorded(history, pod, released.revision) {
                    let observed = format!("Job {}: pod {} let go, recorded {when}", history.name(), pod.name);
                    findings.breach(released, "the status records a pod before its finalizer goes", observed);
                }
            }
        }
        findings.conclude(timeline, "no pod that had to be recorded was let go")
    }
}

/// Whether nothing but the ledger and the indexes explains a finalizer that goes.
fn must_record(history: &JobHistory) -> bool {
    let has_policy = |job: &Job| job.spec.as_ref().is_some_and(|spec| spec.pod_failure_policy.is_some());
    history.job.first_with(has_policy).is_none() && !history.was_scaled_down()
}

/// The version in which a pod has no tracking finalizer any more, if the controller asked for that before it asked for the status that
/// records the pod.
fn released_by_request<'p>(
    history: &JobHistory,
    pod: &'p ObjectHistory<Pod>,
    asked: &Asked<'_>,
) -> Option<&'p Version<Pod>> {
    let (_, after) = pod.steps().find(|(a, b)| is_tracked(&a.object) && !is_tracked(&b.object))?;
    let record = record_of(history, pod)?;
    let of = |revision: u64| move |request: &&Request| request.is_taken() && request.made == Some(revision);
    let mut writes = asked.writes().map(|(_, request)| request);
    let recorded = writes.find(|request| is_of_status(request) && of(record.revision)(request))?;
    // A release of what somebody else has released already makes the same version.
    let is_early =
        |request: &&Request| request.on == "pods" && request.name == pod.name && request.sent() < recorded.sent();
    let mut writes = asked.writes().map(|(_, request)| request);
    let is_its = writes.any(|request| is_early(&request) && of(after.revision)(&request));
    (is_its && !asked.is_upset(after.at)).then_some(after)
}

/// The version in which an ended pod has no tracking finalizer any more, if a controller that had to record it took that.
fn released<'p>(history: &JobHistory, pod: &'p ObjectHistory<Pod>) -> Option<&'p Version<Pod>> {
    let (before, after) = pod.steps().find(|(a, b)| is_tracked(&a.object) && !is_tracked(&b.object))?;
    let is_going = |job: &Job| reading::is_deleting(&job.metadata) || reading::decision(job).is_some();
    let is_excused = history.job.first_with(is_going).is_some_and(|version| version.revision < after.revision)
        || history.job.gone.is_some_and(|gone| gone < after.revision)
        || reading::is_written_by(&after.object.metadata, reading::SCRIPT, None)
        || is_stopping(&before.object)
        || history.may_have_gone_unseen(pod, u64::MAX)
        || !has_counting_index(history, pod);
    (is_terminal(&before.object) && !is_excused).then_some(after)
}

fn has_counting_index(history: &JobHistory, pod: &ObjectHistory<Pod>) -> bool {
    let job = &history.job.first().object;
    !reading::is_indexed(job)
        || completion_index(&pod.first().object).is_some_and(|index| index < reading::index_bound(job))
}

/// Whether the status records a pod before this revision: in its ledger, or by its index.
fn is_recorded(history: &JobHistory, pod: &ObjectHistory<Pod>, before: u64) -> bool {
    let index = completion_index(&pod.first().object);
    let by_index =
        |job: &Job| reading::is_indexed(job) && index.is_some_and(|index| reading::completed(job).contains(index));
    let mut versions = history.job.versions.iter().take_while(|version| version.revision < before);
    versions.any(|version| is_in_ledger(&version.object, pod) || by_index(&version.object))
}

/// The first version that records this very pod: an index alone may be another pod's.
fn record_of<'h>(history: &'h JobHistory, pod: &ObjectHistory<Pod>) -> Option<&'h Version<Job>> {
    let index = completion_index(&pod.first().object);
    let succeeded = pod.versions.iter().any(|version| phase(&version.object) == "Succeeded");
    let is_alone =
        || history.ever.iter().all(|other| other.uid == pod.uid || completion_index(&other.first().object) != index);
    let index = index.filter(|_| succeeded && is_alone());
    history
        .job
        .first_with(|job| is_in_ledger(job, pod) || index.is_some_and(|index| reading::completed(job).contains(index)))
}

fn is_in_ledger(job: &Job, pod: &ObjectHistory<Pod>) -> bool {
    reading::uncounted_succeeded(job).iter().chain(reading::uncounted_failed(job)).any(|uid| *uid == pod.uid)
}
