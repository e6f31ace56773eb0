//! S18: no pod is created beyond what is still to complete (PAR-001, PAR-002, PAR-005).
//!
//! The status may lag behind the pods; it is the bound that the controller has made durable. Without
//! `spec.completions` nothing is created after the first success. What was under way when the subject was started again comes on top
//! (S17).

use super::{
    Invariant,
    census::{Creation, births},
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{property::Check, timeline::Timeline};
use k8s_openapi::api::batch::v1::Job;

pub(super) struct RemainingCompletions;

impl Invariant for RemainingCompletions {
    fn id(&self) -> &'static str {
        "S18"
    }

    fn says(&self) -> &'static str {
        "no pod is created beyond the completions that are still missing"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["PAR-002", "PAR-005"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[Part::EndedPods, Part::Ledger, Part::Indexes]);
        for history in &histories.own {
            for birth in births(&history.job, &history.pods) {
                let (version, unknown) = (birth.pod.first(), histories.unknown(history, &birth));
                let slack = unknown.map_or_else(
                    || history.largest(version.revision, version.at, reading::parallelism),
                    |unknown| unknown.live,
                );
                is_wanted(&mut findings, history, &birth, slack);
            }
        }
        findings.conclude(timeline, "no pod was created for a Job of the subject")
    }
}

fn is_wanted(findings: &mut Findings, history: &JobHistory, birth: &Creation<'_>, slack: i32) {
    let version = birth.pod.first();
    let Some(job) = history.job.at(version.revision) else { return };
    findings.occasion();
    let completions = history.largest(version.revision, version.at, |job| reading::completions(job).unwrap_or(0));
    let succeeded = reading::succeeded(&job.object) - out_of_range(&job.object, completions);
    let (name, pod, live) = (history.name(), &birth.pod.name, birth.live);
    if reading::completions(&job.object).is_none() {
        if succeeded > 0 && slack == 0 {
            let observed = format!("Job {name}: pod {pod} created with succeeded {succeeded} and no completions");
            findings.breach(version, "a work queue gets no new pod after the first success", observed);
        }
        return;
    }
    let bound = (completions - succeeded).max(0).saturating_add(slack);
    if live > bound {
        let observed =
            format!("Job {name}: {live} live pods with pod {pod}, completions {completions}, succeeded {succeeded}");
        findings.breach(version, format!("at most {bound} live pods"), observed);
    }
}

/// Completed indexes that a scale-down has made superfluous: they are counted until the status is written again, and stand for
/// nothing that is still wanted (IDX-022).
fn out_of_range(job: &Job, completions: i32) -> i32 {
    let completed = reading::completed(job);
    let kept = completed.clipped(u32::try_from(completions).unwrap_or(0));
    i32::try_from(completed.len() - kept.len()).unwrap_or(i32::MAX)
}
