//! V12: conditions tell each phase once, the newest last (VJ-112, VJ-B04).

use super::gang_history;
use crate::{
    history::Version,
    invariants::{Invariant, findings::Findings},
    property::Check,
    recorded::volcano::Job,
    timeline::Timeline,
};

pub(in crate::invariants) struct Conditions;

impl Invariant for Conditions {
    fn id(&self) -> &'static str {
        "V12"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job has one condition for a phase, and the last one is that of the phase it is in"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-112"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in gang_history::all(timeline) {
            for version in history.job.versions.iter().filter(|version| !version.object.status.conditions.is_empty()) {
                findings.occasion();
                if let Some(observed) = wrong(version) {
                    let observed = format!("Job {}: {observed}", history.name());
                    findings.breach(version, "one condition for a phase, the present one last", observed);
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job had a condition")
    }
}

fn wrong(version: &Version<Job>) -> Option<String> {
    let conditions = &version.object.status.conditions;
    let count = |phase: &str| conditions.iter().filter(|condition| condition.status == phase).count();
    if let Some(twice) = conditions.iter().find(|condition| count(&condition.status) > 1) {
        return Some(format!("{} conditions of {}", count(&twice.status), twice.status));
    }
    let last = conditions.last().filter(|last| last.status != version.object.phase())?;
    Some(format!("it is {}, and its last condition {}", version.object.phase(), last.status))
}
