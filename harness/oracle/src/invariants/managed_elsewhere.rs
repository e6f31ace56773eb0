//! S28: a Job that names another controller is not touched (MGB-002, MGB-003).
//!
//! Shown by `managedFields`: an entry of a controller for the status, and pods that were created as that Job's
//! by somebody else than the script. The removal of a field leaves no entry and is not seen; deletions by
//! garbage collection and by the TTL controller are allowed (MGB-009, MGB-010).

use super::{
    Invariant,
    findings::Findings,
    job_history::{JobHistories, JobHistory},
    reading,
};
use crate::{
    property::Check,
    setting::{Ownership, Setting},
    timeline::Timeline,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;

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
        for history in JobHistories::resting_on(timeline, &[]).foreign {
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
