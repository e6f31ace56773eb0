//! S25: pods of others are left alone (SYN-008, SYN-027, FIN-014, FIN-015).
//!
//! A pod does not go from one controller to another in one step; and a pod that no Job of the subject controls
//! keeps its tracking finalizer. Who wrote is not in the history: a step is taken for the script's when its answer
//! is recorded, when its entry in `managedFields` is renewed, right after a mark, and while its pod is new. Pods
//! of Jobs that are gone, or never were, are S26's, whoever kept those Jobs.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::JobHistories,
    reading,
    script_edits::{SHORTLY, is_by_script},
};
use crate::{
    fact::Fact,
    history::{ObjectHistory, Version, controller},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, is_tracked},
};
use k8s_openapi::api::core::v1::Pod;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ForeignPods;

impl Invariant for ForeignPods {
    fn id(&self) -> &'static str {
        "S25"
    }

    fn says(&self) -> &'static str {
        "a pod that another controller owns is neither taken over nor stripped of its finalizer"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-008", "SYN-027", "FIN-014", "FIN-015"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let jobs: BTreeSet<String> = timeline.jobs().into_iter().map(|job| job.uid).collect();
        let histories = JobHistories::resting_on(timeline, &[]).foreign.into_iter();
        let foreign: BTreeMap<String, Option<u64>> =
            histories.map(|history| (history.job.uid, history.job.gone)).collect();
        for pod in timeline.pods() {
            let owner = controller(&pod.first().object.metadata);
            let is_foreign =
                owner.is_some_and(|owner| foreign.contains_key(owner) || !jobs.contains(owner) && !is_of_a_job(&pod));
            if is_foreign || jobs.len() > 1 {
                findings.occasion();
            }
            // No controller knows any more who kept a Job that is gone (FIN-012).
            let gone = owner.and_then(|owner| foreign.get(owner).copied().flatten());
            let is_kept = |after: &Version<Pod>| is_foreign && gone.is_none_or(|gone| after.revision < gone);
            for (before, after) in pod.steps().filter(|(before, after)| !is_by_script(before, after)) {
                let is_its_loss = is_kept(after) && !is_announced(timeline, after);
                is_left_alone(&mut findings, &pod, is_its_loss, before, after);
            }
        }
        findings.conclude(timeline, "there was one Job and no pod of others")
    }
}

/// Whether it says that a Job controls it. Whoever keeps Jobs lets go of the pods of one that is not there (SYN-028).
fn is_of_a_job(pod: &ObjectHistory<Pod>) -> bool {
    let owners = pod.first().object.metadata.owner_references.iter().flatten();
    owners
        .filter(|owner| owner.controller == Some(true))
        .any(|owner| owner.kind == "Job" && owner.api_version == "batch/v1")
}

fn is_left_alone(
    findings: &mut Findings,
    pod: &ObjectHistory<Pod>,
    is_its_loss: bool,
    before: &Version<Pod>,
    after: &Version<Pod>,
) {
    let (was, is) = (controller(&before.object.metadata), controller(&after.object.metadata));
    if let (Some(was), Some(is)) = (was, is)
        && was != is
    {
        let observed = format!("pod {}: controller {was} → {is}", pod.name);
        findings.breach(after, "a pod that has a controller is not taken over", observed);
    }
    // Whoever deletes a pod of his own lets go of it as he likes.
    let lost = is_tracked(&before.object) && !is_tracked(&after.object) && !is_stopping(&before.object);
    if is_its_loss && lost && was.is_some() && pod.gone != Some(after.revision) {
        let observed = format!("pod {}: tracking finalizer removed, controller {}", pod.name, reading::shown(was));
        findings.breach(after, "a pod of another controller keeps its tracking finalizer", observed);
    }
}

/// Whether the script passed a point right before, or got this very version as an answer.
fn is_announced(timeline: &Timeline, after: &Version<Pod>) -> bool {
    let version = after.object.metadata.resource_version.as_deref();
    timeline.entries().iter().any(|entry| match &entry.fact {
        Fact::Mark(_) => entry.at <= after.at && after.at <= entry.at + SHORTLY,
        Fact::Answer(answer) => {
            let answered = answer.body.pointer("/metadata/resourceVersion").and_then(|text| text.as_str());
            answered.is_some() && answered == version
        }
        _ => false,
    })
}
