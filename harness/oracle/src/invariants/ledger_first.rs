//! S14: a tracking finalizer goes away only once its pod is recorded (FIN-002, FIN-003, IDX-018).
//!
//! Recorded is a pod whose UID was in the stored ledger, or whose index was in the stored `completedIndexes`. Judged are pods that
//! ended by themselves. Left out is whatever may rightly be disregarded: everything under a pod failure policy, which may ignore
//! a failure, pods of Jobs that are deleted, decided, suspended or made smaller, pods without an index that counts, and pods that
//! ended while they were taken away.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked},
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
        for history in JobHistories::resting_on(timeline, &parts).own.iter().filter(|history| must_record(history)) {
            for pod in history.pods.iter().filter(|pod| history.has_kept(pod)) {
                let Some(released) = released(history, pod) else { continue };
                findings.occasion();
                if !is_recorded(history, pod, released.revision) {
                    let observed = format!("Job {}: pod {} let go, recorded nowhere", history.name(), pod.name);
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

fn is_recorded(history: &JobHistory, pod: &ObjectHistory<Pod>, before: u64) -> bool {
    let index = completion_index(&pod.first().object);
    let records = |job: &Job| {
        let mut ledger = reading::uncounted_succeeded(job).iter().chain(reading::uncounted_failed(job));
        let by_index = reading::is_indexed(job) && index.is_some_and(|index| reading::completed(job).contains(index));
        by_index || ledger.any(|uid| *uid == pod.uid)
    };
    history.job.versions.iter().take_while(|version| version.revision < before).any(|version| records(&version.object))
}
