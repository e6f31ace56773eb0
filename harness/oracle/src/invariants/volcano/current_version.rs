//! V05: pods are made for the version that the Job has (VJ-138, VJ-189e, VJ-244).
//!
//! Requests that were on their way when the subject died may arrive late: they are forgiven shortly after a crash or start.

use super::gang_history::{self, name_of, version_of};
use crate::{
    invariants::{
        Invariant,
        findings::{Findings, hole},
        upheavals::Upheavals,
    },
    property::Check,
    timeline::Timeline,
};

pub(in crate::invariants) struct CurrentVersion;

impl Invariant for CurrentVersion {
    fn id(&self) -> &'static str {
        "V05"
    }

    fn says(&self) -> &'static str {
        "a pod of a Volcano Job is made for the version that the Job has then, never for an earlier one"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-189", "VJ-244"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let upheavals = Upheavals::of(timeline);
        for history in gang_history::all(timeline) {
            for (pod, job) in history.births().filter(|(pod, _)| !upheavals.is_upset(pod.at)) {
                findings.occasion();
                let (own, current) = (version_of(&pod.object), job.object.status.version);
                if own != Some(current) {
                    let own = own.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
                    let observed = format!("Job {}: pod {} is made with {own}", history.name(), name_of(&pod.object));
                    findings.breach(pod, format!("the Job's version then, {current}"), observed);
                }
            }
        }
        findings.conclude(timeline, "no pod of a Volcano Job was made")
    }
}
