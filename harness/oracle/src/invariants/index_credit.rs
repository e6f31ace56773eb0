//! S16: an index is completed by a pod that was created for it, and is not started again (IDX-010, IDX-017,
//! IDX-028, BLI-006).
//!
//! A pod that ended between the controller's look at it and its deletion may be credited or not: a worker that handles
//! SIGTERM may well exit with 0 after the Job is decided and before its finalizer goes.
//!
//! A pod whose index annotation was edited is left out: who edits it says for himself what it stands for. So is one whose tracking
//! finalizer the script took (IDX-017). Where the
//! gate for limits per index is off or being switched, failed indexes are tried again (BLI-016).

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    last_seen, reading,
    script_edits::is_stripped_by_script,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_terminal, is_tracked, phase},
};
use jobsworth_api::IndexSet;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};

pub(super) struct IndexCredit;

impl Invariant for IndexCredit {
    fn id(&self) -> &'static str {
        "S16"
    }

    fn says(&self) -> &'static str {
        "an index is credited for a pod created with it that succeeded, and an ended index is not started again"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["IDX-010", "IDX-017", "BLI-006"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::Ledger, Part::Indexes]).own {
            if !reading::is_indexed(&history.job.first().object) {
                continue;
            }
            is_earned(&mut findings, &history);
            is_not_started_again(&mut findings, timeline, &history);
            none_is_forgotten(&mut findings, &history);
        }
        findings.conclude(timeline, "no Indexed Job of the subject")
    }
}

fn is_earned(findings: &mut Findings, history: &JobHistory) {
    let mut known = IndexSet::new();
    for version in &history.job.versions {
        let completed = reading::completed(&version.object);
        for index in completed.minus(&known).iter() {
            findings.occasion();
            let is_witness = |pod: &&ObjectHistory<Pod>| {
                let edited =
                    pod.versions.iter().any(|v| completion_index(&v.object) != completion_index(&pod.first().object));
                (edited || completion_index(&pod.first().object) == Some(index))
                    && pod.versions.iter().any(|v| v.revision < version.revision && phase(&v.object) == "Succeeded")
            };
            if !history.ever.iter().any(|pod| is_witness(&pod)) {
                let observed =
                    format!("Job {}: index {index} completed, but no pod of it has succeeded", history.name());
                findings.breach(version, "a completed index has a pod that succeeded", observed);
            }
        }
        known = completed;
    }
}

fn is_not_started_again(findings: &mut Findings, timeline: &Timeline, history: &JobHistory) {
    let regimes = timeline.regimes();
    for pod in &history.pods {
        let birth = pod.first();
        let (Some(index), Some(job)) = (completion_index(&birth.object), history.job.at(birth.revision)) else {
            continue;
        };
        findings.occasion();
        let stays_failed = regimes.gate("JobBackoffLimitPerIndex", birth.revision) == Some(true);
        let completed = |job: &Job| reading::completed(job).contains(index);
        let failed = |job: &Job| stays_failed && reading::failed_set(job).contains(index);
        let ended = match () {
            () if completed(&job.object) => "completed",
            () if failed(&job.object) => "failed",
            () => continue,
        };
        let since = history.job.first_with(|job| completed(job) || failed(job)).map_or(0, |version| version.revision);
        let (name, seen) = (history.name(), last_seen::told(timeline, history, birth.revision, since));
        let observed = format!("Job {name}: pod {} created for index {index}, which had {ended}{seen}", pod.name);
        findings.breach(birth, "no pod is created for an index that is completed or failed", observed);
    }
}

/// At the end each index with a success is credited (section 8.3).
fn none_is_forgotten(findings: &mut Findings, history: &JobHistory) {
    let Some(finish) = history.finish().filter(|_| !history.was_scaled_down()) else { return };
    let blamed = |pod: &ObjectHistory<Pod>| {
        history.job.versions.iter().any(|version| reading::uncounted_failed(&version.object).contains(&pod.uid))
    };
    for pod in history.pods.iter().filter(|pod| history.has_kept(pod) && !blamed(pod)) {
        let Some(index) = completion_index(&pod.first().object) else { continue };
        let end = pod.versions.iter().find(|version| is_terminal(&version.object));
        let earned = end.is_some_and(|version: &Version<Pod>| {
            version.revision < finish.revision && phase(&version.object) == "Succeeded" && is_tracked(&version.object)
        });
        let earned = earned && !history.may_have_gone_unseen(pod, finish.revision) && !is_stripped_by_script(pod);
        if earned && index < reading::index_bound(&finish.object) && !credited(finish, index) {
            let text = reading::completed_text(&finish.object);
            let observed = format!("Job {}: pod {} succeeded, completedIndexes \"{text}\"", history.name(), pod.name);
            findings.breach(finish, format!("index {index} is completed"), observed);
        }
    }
}

fn credited(finish: &Version<Job>, index: u32) -> bool {
    reading::completed(&finish.object).contains(index)
}
