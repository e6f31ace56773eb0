//! S15: when a Job is finished, its counters are what its pods did (section 8.3; FIN-002, FIN-004, IDX-016).
//!
//! Judged as two bounds, since the history does not show every reason for leaving a pod out. At most as many
//! are counted as ended that way. At least those are counted that ended by themselves while they held the
//! finalizer, unless a policy may ignore them or pods were taken away on purpose meanwhile. A pod that ended between
//! the controller's look at it and its deletion may be counted or not, and so may one whose finalizer the script took.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    script_edits::is_stripped_by_script,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked, phase},
};
use jobsworth_api::ConditionKind::Failed;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::collections::BTreeSet;

pub(super) struct Conservation;

impl Invariant for Conservation {
    fn id(&self) -> &'static str {
        "S15"
    }

    fn says(&self) -> &'static str {
        "a finished Job has counted every pod that ended while it was held, and no other"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["FIN-002", "FIN-004"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::EndedPods, Part::Ledger]).own {
            let Some(finish) = history.finish() else { continue };
            findings.occasion();
            failures(&mut findings, &history, finish);
            if !reading::is_indexed(&finish.object) {
                successes(&mut findings, &history, finish);
            }
        }
        findings.conclude(timeline, "no Job of the subject finished")
    }
}

fn successes(findings: &mut Findings, history: &JobHistory, finish: &Version<Job>) {
    let most = history.ever.iter().filter(|pod| was(pod, finish.revision, |pod| phase(pod) == "Succeeded")).count();
    let blamed = blamed(history);
    let least = match history.was_scaled_down() {
        true => 0,
        false => {
            let counts = |pod: &&ObjectHistory<Pod>| {
                ended_held(history, pod, finish.revision, "Succeeded") && !blamed.contains(&pod.uid)
            };
            history.pods.iter().filter(counts).count()
        }
    };
    within(findings, history, finish, ("succeeded", reading::succeeded(&finish.object)), (least, most));
}

fn failures(findings: &mut Findings, history: &JobHistory, finish: &Version<Job>) {
    let is_failed = reading::held(&finish.object, Failed).is_some();
    let could_count = |pod: &Pod| phase(pod) == "Failed" || is_stopping(pod) || (is_failed && !is_terminal(pod));
    let most = history.ever.iter().filter(|pod| was(pod, finish.revision, could_count)).count();
    let has_policy = finish.object.spec.as_ref().is_some_and(|spec| spec.pod_failure_policy.is_some());
    let least = match has_policy || history.was_scaled_down() {
        true => 0,
        false => {
            let has_index = |pod: &Pod| {
                !reading::is_indexed(&finish.object)
                    || completion_index(pod).is_some_and(|index| index < reading::index_bound(&finish.object))
            };
            let counts = |pod: &&ObjectHistory<Pod>| {
                ended_held(history, pod, finish.revision, "Failed") && has_index(&pod.first().object)
            };
            history.pods.iter().filter(counts).count()
        }
    };
    within(findings, history, finish, ("failed", reading::failed(&finish.object)), (least, most));
}

fn within(
    findings: &mut Findings,
    history: &JobHistory,
    finish: &Version<Job>,
    (field, counted): (&str, i32),
    (least, most): (usize, usize),
) {
    let is_within = usize::try_from(counted).is_ok_and(|counted| (least..=most).contains(&counted));
    if !is_within {
        let observed = format!("Job {}: status.{field} is {counted} at the end", history.name());
        let expected = match least == most {
            true => format!("{least} pods {field}"),
            false => format!("from {least} to {most} pods {field}"),
        };
        findings.breach(finish, expected, observed);
    }
}

/// UIDs that were ever listed as failed: such a pod is not counted as a success later (FIN-003).
fn blamed(history: &JobHistory) -> BTreeSet<String> {
    history.job.versions.iter().flat_map(|version| reading::uncounted_failed(&version.object)).cloned().collect()
}

fn was(pod: &ObjectHistory<Pod>, revision: u64, what: impl Fn(&Pod) -> bool) -> bool {
    pod.versions.iter().any(|version| version.revision < revision && what(&version.object))
}

/// Whether the pod came to this phase by itself, still held, was not told to stop before, and cannot have been let go
/// by a controller that did not know.
fn ended_held(history: &JobHistory, pod: &ObjectHistory<Pod>, revision: u64, end: &str) -> bool {
    let terminal = pod.versions.iter().find(|version| is_terminal(&version.object));
    let is_seen = history.has_kept(pod) && !history.may_have_gone_unseen(pod, revision) && !is_stripped_by_script(pod);
    terminal.filter(|_| is_seen).is_some_and(|version| {
        let object = &version.object;
        version.revision < revision && phase(object) == end && is_tracked(object) && !is_stopping(object)
    })
}
