//! S20: a suspended Job runs nothing (SUS-001 to SUS-003, SUS-007, BKO-014).
//!
//! Once `Suspended` is True no pod is created; before that the controller has a few seconds to notice. A condition that
//! is left from a suspension before says nothing: a Job may be suspended again while the pods of its resumption are
//! being created, and the condition is written after them. It follows the spec, is never taken away, and is never True
//! for a Job that was not suspended lately.

use super::{
    Invariant,
    findings::{Findings, hole, lost_jobs},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, timeline::Timeline};
use jobsworth_api::ConditionKind::Suspended;
use k8s_openapi::api::batch::v1::Job;

pub(super) struct SuspendedRunsNothing;

impl Invariant for SuspendedRunsNothing {
    fn id(&self) -> &'static str {
        "S20"
    }

    fn says(&self) -> &'static str {
        "no pod is created while a Job is suspended, and the Suspended condition tells the truth"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SUS-001"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::Suspension]).own {
            if history.job.first_with(reading::is_suspended).is_some() {
                findings.occasion();
            }
            if !lost_jobs(timeline) {
                condition_is_true(&mut findings, &history);
            }
            for pod in history.pods.iter().filter(|_| hole(timeline).is_none()) {
                let birth = pod.first();
                let Some(job) = history.job.at(birth.revision) else { continue };
                let is_noticed = is_noticed(&history, birth.revision);
                let is_old =
                    history.in_sight(birth.revision, birth.at).all(|version| reading::is_suspended(&version.object));
                if reading::is_suspended(&job.object) && (is_noticed || is_old) {
                    let observed = format!("Job {}: pod {} created while suspended", history.name(), pod.name);
                    findings.breach(birth, "no pod is created while the Job is suspended", observed);
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject was suspended")
    }
}

/// Whether the suspension in force is in the conditions, written since it began.
fn is_noticed(history: &JobHistory, revision: u64) -> bool {
    let versions = &history.job.versions;
    let known = &versions[..versions.partition_point(|version| version.revision <= revision)];
    let (before, since) = known.split_at(
        known.iter().rposition(|version| !reading::is_suspended(&version.object)).map_or(0, |place| place + 1),
    );
    let holds = |version: &Version<Job>| reading::held(&version.object, Suspended).is_some();
    !before.last().is_some_and(holds) && since.last().is_some_and(holds)
}

fn condition_is_true(findings: &mut Findings, history: &JobHistory) {
    let find = |job: &Job| reading::conditions(job).iter().find(|c| c.type_ == Suspended.as_str()).cloned();
    for (before, after) in history.job.steps() {
        let (was, is) = (find(&before.object), find(&after.object));
        if was == is {
            continue;
        }
        let Some(is) = is else {
            findings.breach(
                after,
                "the Suspended condition is never removed",
                format!("Job {}: removed", history.name()),
            );
            continue;
        };
        follows_the_spec(findings, history.name(), after, &is.status, was.is_none());
    }
}

/// The spec in the version that changes the condition is the one that the write was computed from.
fn follows_the_spec(findings: &mut Findings, name: &str, after: &Version<Job>, status: &str, is_new: bool) {
    let wanted = if reading::is_suspended(&after.object) { "True" } else { "False" };
    if status != wanted {
        let observed = format!("Job {name}: Suspended={status} with spec.suspend {}", wanted == "True");
        findings.breach(after, format!("Suspended becomes {wanted}"), observed);
    } else if is_new && status == "False" {
        let observed = format!("Job {name}: first seen as Suspended=False");
        findings.breach(after, "Suspended is never added as False", observed);
    }
}
