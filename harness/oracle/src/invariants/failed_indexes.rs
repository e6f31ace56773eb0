//! S11: `failedIndexes` reads as promised, only grows and overlaps with nothing (BLI-004, BLI-005, STA-017,
//! VST-105, VST-107, VST-108).
//!
//! Indexes may leave it where a scale-down removed them (BLI-015), and all of it where the gate is off or being switched (BLI-016).

use super::{
    Invariant,
    findings::{Findings, lost_jobs, lost_jobs_before},
    job_history::JobHistories,
    reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, timeline::Timeline};
use jobsworth_api::IndexSet;
use k8s_openapi::api::batch::v1::Job;

pub(super) struct FailedIndexes;

impl Invariant for FailedIndexes {
    fn id(&self) -> &'static str {
        "S11"
    }

    fn says(&self) -> &'static str {
        "failedIndexes needs backoffLimitPerIndex, never shares an index with completedIndexes and loses none"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["BLI-005", "STA-017"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let is_on = |revision| timeline.regimes().gate("JobBackoffLimitPerIndex", revision) == Some(true);
        for history in JobHistories::resting_on(timeline, &[Part::Indexes]).own {
            let mut before = None;
            for version in &history.job.versions {
                let written = reading::failed_text(&version.object);
                let changes = written != before.and_then(|before: &Version<Job>| reading::failed_text(&before.object));
                if let Some(written) = written {
                    findings.occasion();
                    // An index that had failed, and was then scaled away, may stand there until the next write (VST-201).
                    let is_bounded = changes && !lost_jobs_before(timeline, before, version);
                    reads_well(&mut findings, history.name(), version, written, is_bounded);
                }
                before = Some(version);
            }
            for (before, after) in
                history.job.steps().filter(|(_, after)| is_on(after.revision) && !lost_jobs(timeline))
            {
                loses_none(&mut findings, history.name(), before, after);
            }
        }
        findings.conclude(timeline, "no Job had failedIndexes")
    }
}

fn reads_well(findings: &mut Findings, name: &str, version: &Version<Job>, text: &str, is_bounded: bool) {
    let job = &version.object;
    if job.spec.as_ref().and_then(|spec| spec.backoff_limit_per_index).is_none() {
        let observed = format!("Job {name}: failedIndexes \"{text}\" without backoffLimitPerIndex");
        findings.breach(version, "only a Job with backoffLimitPerIndex has failedIndexes", observed);
    }
    let both = reading::failed_set(job).intersection(&reading::completed(job));
    if !both.is_empty() {
        let observed =
            format!("Job {name}: completedIndexes \"{}\", failedIndexes \"{text}\"", reading::completed_text(job));
        findings.breach(version, format!("no index is both completed and failed, but {both}"), observed);
    }
    let bound = reading::index_bound(job);
    let observed = || format!("Job {name}: failedIndexes \"{text}\" with completions {bound}");
    match text.parse::<IndexSet>() {
        Err(error) => findings.breach(version, format!("failedIndexes is readable: {error}"), observed()),
        Ok(set) if set.to_string() != text => {
            findings.breach(version, format!("failedIndexes is written \"{set}\""), observed());
        }
        Ok(set) if is_bounded && set.last().is_some_and(|last| last >= bound) => {
            findings.breach(version, "every failed index is below completions", observed());
        }
        Ok(_) => {}
    }
}

fn loses_none(findings: &mut Findings, name: &str, before: &Version<Job>, after: &Version<Job>) {
    let kept = reading::failed_set(&before.object).clipped(reading::index_bound(&after.object));
    let lost = kept.minus(&reading::failed_set(&after.object));
    let vanished = reading::failed_text(&before.object).is_some() && reading::failed_text(&after.object).is_none();
    if !lost.is_empty() || vanished {
        let quoted = |job| reading::shown(reading::failed_text(job));
        let observed = format!("Job {name}: failedIndexes {} → {}", quoted(&before.object), quoted(&after.object));
        findings.breach(after, "a failed index stays failed", observed);
    }
}
