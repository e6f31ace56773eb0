//! S28: a Job that names another controller is not touched (MGB-002, MGB-003).
//!
//! Shown by `managedFields`: an entry of a controller for the status, and pods that were created as that Job's
//! by somebody else than the script. The removal of a field leaves no entry and is not seen that way.
//!
//! Where requests were recorded, those that the API server took show the rest: finalizers that are patched, deletions, writes to
//! the Job itself, and pods made for it. A pod counts as that Job's if it was so for [`UNSEEN`]: who has not seen yet that it changed
//! hands takes it for what it was. Once the Job is gone nobody knows any more who kept it, and its pods are let go of (FIN-012). A
//! finished Job with a TTL is deleted whoever reconciles it (MGB-009), when is S27's; garbage collection is allowed, too (MGB-010).

use super::{
    Invariant,
    asked::{Asked, told},
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory, UNSEEN},
    reading,
};
use crate::{
    fact::Entry,
    history::{ObjectHistory, controller},
    property::Check,
    request::Request,
    setting::{Ownership, Setting},
    timeline::Timeline,
};
use k8s_openapi::{api::core::v1::Pod, apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry};
use std::time::Duration;

/// Users under whom kube-controller-manager does something else than reconcile Jobs: what they do to Jobs and pods
/// is the same whoever keeps those. Without credentials for each controller it is one user for all of them.
const OF_OTHER_CONTROLLERS: [&str; 7] = [
    "system:kube-controller-manager",
    "system:serviceaccount:kube-system:cronjob-controller",
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:serviceaccount:kube-system:namespace-controller",
    "system:serviceaccount:kube-system:node-controller",
    "system:serviceaccount:kube-system:pod-garbage-collector",
    "system:serviceaccount:kube-system:taint-eviction-controller",
];
/// So much later than the answer to a request the recording may hear of what was before it.
const LATE: Duration = Duration::from_secs(1);

pub(super) struct ManagedElsewhere;

impl Invariant for ManagedElsewhere {
    fn id(&self) -> &'static str {
        "S28"
    }

    fn says(&self) -> &'static str {
        "a Job whose managedBy names another controller gets no status and no pods from this one"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["MGB-002"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let foreign = JobHistories::resting_on(timeline, &[]).foreign;
        nothing_is_asked_for(&mut findings, timeline, &foreign);
        for history in foreign {
            findings.occasion();
            status_is_left_alone(&mut findings, &timeline.setting, &history);
            if matches!(timeline.setting.ownership, Ownership::ManagedBy(_)) {
                // Pods of a Job without managedBy are the built-in controller's, if one runs.
                continue;
            }
            for pod in &history.pods {
                let observed = format!("Job {}: pod {} created", history.name(), pod.name);
                findings.breach(pod.first(), "no pod is created for a Job that is managed elsewhere", observed);
            }
        }
        findings.conclude(timeline, "every Job was the subject's")
    }
}

fn status_is_left_alone(findings: &mut Findings, setting: &Setting, history: &JobHistory) {
    for version in &history.job.versions {
        let entries = version.object.metadata.managed_fields.iter().flatten();
        for entry in
            entries.filter(|entry| entry.subresource.as_deref() == Some("status") && is_subject(setting, entry))
        {
            let manager = reading::shown(entry.manager.as_deref());
            let observed = format!("Job {}: status written by {manager}", history.name());
            findings.breach(version, "the status of a Job that is managed elsewhere is not written", observed);
        }
    }
}

fn is_subject(setting: &Setting, entry: &ManagedFieldsEntry) -> bool {
    let manager = entry.manager.as_deref().unwrap_or("");
    match setting.ownership {
        Ownership::BuiltIn => manager == "kube-controller-manager",
        Ownership::DropIn => manager != reading::SCRIPT,
        Ownership::ManagedBy(_) => manager == setting.subject || manager == "jobsworth-controller",
    }
}

/// Which Job a name means, and whose a pod is, is not told by a history with a hole.
fn nothing_is_asked_for(findings: &mut Findings, timeline: &Timeline, foreign: &[JobHistory]) {
    if foreign.is_empty() || hole(timeline).is_some() {
        return;
    }
    let pods = timeline.pods();
    let asked = Asked::of(timeline);
    let taken = asked.writes().filter(|(_, request)| request.is_taken());
    for (entry, request) in taken.filter(|(_, request)| !OF_OTHER_CONTROLLERS.contains(&request.by.as_str())) {
        let expected = match request.on.split('/').next() {
            Some("jobs") if foreign.iter().any(|history| is_touched(history, entry, request)) => {
                "a Job that is managed elsewhere is not written to"
            }
            Some("pods") if foreign.iter().any(|history| loses_a_pod(history, &pods, entry, request)) => {
                "the pods of a Job that is managed elsewhere are left alone"
            }
            _ => continue,
        };
        findings.breach_at(entry, expected, told(request));
    }
}

/// Whether the request was about this Job, and is no deletion for its time to live.
fn is_touched(history: &JobHistory, entry: &Entry, request: &Request) -> bool {
    let is_meant = match &request.uid {
        Some(uid) => *uid == history.job.uid,
        // The version that it made is this Job's, and no namesake's.
        None => history.job.versions.iter().any(|version| request.made == Some(version.revision)),
    };
    let has_ttl = || {
        let mut versions = history.in_sight(entry.revision, entry.at);
        versions.any(|one| one.object.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished.is_some()))
    };
    is_meant && !(request.verb == "delete" && has_ttl())
}

/// Whether the request made, changed or deleted a pod of this Job.
fn loses_a_pod(history: &JobHistory, pods: &[ObjectHistory<Pod>], entry: &Entry, request: &Request) -> bool {
    if request.verb == "create" {
        return history.pods.iter().any(|pod| request.made == Some(pod.first().revision));
    }
    // A namesake begins only after this one is gone.
    let revision = request.made.unwrap_or(entry.revision);
    let is_meant = |pod: &&ObjectHistory<Pod>| {
        pod.name == request.name
            && pod.first().revision <= revision
            && pod.gone.is_none_or(|gone| gone >= revision || pod.last().at + LATE > request.sent())
    };
    let mut meant = pods.iter().filter(is_meant);
    let (Some(pod), None) = (meant.next(), meant.next()) else { return false };
    let was_known =
        history.job.gone.is_none_or(|gone| gone > entry.revision && history.job.last().at > entry.at + LATE);
    was_known && has_been_of(pod, &history.job.uid, request.sent())
}

/// Whether the pod was this Job's in each version that may be taken for the present one.
fn has_been_of(pod: &ObjectHistory<Pod>, job: &str, sent: Duration) -> bool {
    let is_replaced = |place: usize| pod.versions.get(place + 1).is_some_and(|next| next.at + UNSEEN <= sent);
    let mut versions = pod.versions.iter().enumerate();
    versions.all(|(place, version)| {
        let is_in_sight = !is_replaced(place) && version.at <= sent + UNSEEN;
        !is_in_sight || controller(&version.object.metadata) == Some(job)
    })
}
