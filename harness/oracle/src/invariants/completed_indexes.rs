//! S09: `completedIndexes` reads as promised and only grows (IDX-014, IDX-019, IDX-022, STA-017, VST-104, VST-106).
//!
//! A scale-down leaves indexes in the text that are out of range until the next sync (VST-201): the bound is
//! judged where the text changes.

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

pub(super) struct CompletedIndexes;

impl Invariant for CompletedIndexes {
    fn id(&self) -> &'static str {
        "S09"
    }

    fn says(&self) -> &'static str {
        "completedIndexes ascends, runs of three or more are ranges, all are below completions, none is lost"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["IDX-014", "STA-017"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Indexes]).own {
            let mut before = None;
            for version in &history.job.versions {
                let written = reading::completed_text(&version.object);
                if written != before.map_or("", |before: &Version<Job>| reading::completed_text(&before.object)) {
                    findings.occasion();
                    // An index that was completed, and then scaled away, may stand there until the next write (VST-201).
                    let is_bounded = !lost_jobs_before(timeline, before, version);
                    reads_well(&mut findings, history.name(), version, written, is_bounded);
                }
                before = Some(version);
            }
            for (before, after) in history.job.steps().filter(|_| !lost_jobs(timeline)) {
                loses_none(&mut findings, history.name(), before, after);
            }
        }
        findings.conclude(timeline, "no index was completed")
    }
}

fn reads_well(findings: &mut Findings, name: &str, version: &Version<Job>, text: &str, is_bounded: bool) {
    if !reading::is_indexed(&version.object) && !text.is_empty() {
        let observed = format!("Job {name}: NonIndexed with completedIndexes \"{text}\"");
        return findings.breach(version, "only an Indexed Job has completedIndexes", observed);
    }
    let bound = reading::index_bound(&version.object);
    match text.parse::<IndexSet>() {
        Err(error) => {
            let observed = format!("Job {name}: completedIndexes \"{text}\": {error}");
            findings.breach(version, "completedIndexes is a list of ascending indexes and ranges", observed);
        }
        Ok(set) if set.to_string() != text => {
            let observed = format!("Job {name}: completedIndexes \"{text}\"");
            findings.breach(version, format!("completedIndexes is written \"{set}\""), observed);
        }
        Ok(set) if is_bounded && set.last().is_some_and(|last| last >= bound) => {
            let observed = format!("Job {name}: completedIndexes \"{text}\" with completions {bound}");
            findings.breach(version, "every completed index is below completions", observed);
        }
        Ok(_) => {}
    }
}

fn loses_none(findings: &mut Findings, name: &str, before: &Version<Job>, after: &Version<Job>) {
    let kept = reading::completed(&before.object).clipped(reading::index_bound(&after.object));
    let lost = kept.minus(&reading::completed(&after.object));
    if !lost.is_empty() {
        let (was, is) = (reading::completed_text(&before.object), reading::completed_text(&after.object));
        let observed = format!("Job {name}: completedIndexes \"{was}\" → \"{is}\", lost {lost}");
        findings.breach(after, "a completed index stays completed", observed);
    }
}
