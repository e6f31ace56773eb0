//! V17: no counter of a Volcano Job is above the pods that there were (VJ-105, VJ-162).

use super::gang_history;
use crate::{
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    timeline::Timeline,
};

pub(in crate::invariants) struct CountsOfPods;

impl Invariant for CountsOfPods {
    fn id(&self) -> &'static str {
        "V17"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job never counts more pods in a state than were ever there"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-162"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        // A pod that nobody heard of may be counted.
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let made: Vec<u64> = timeline.pods().iter().map(|pod| pod.first().revision).collect();
        for history in gang_history::all(timeline) {
            for version in &history.job.versions {
                let there = made.iter().filter(|revision| **revision < version.revision).count();
                for (field, count) in version.object.status.counters().into_iter().filter(|(_, count)| *count > 0) {
                    findings.occasion();
                    if usize::try_from(count).is_ok_and(|count| count > there) {
                        let observed = format!("Job {}: status.{field} is {count}", history.name());
                        findings.breach(version, format!("at most {there} pods are {field}"), observed);
                    }
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job counted a pod")
    }
}
