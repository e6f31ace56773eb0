//! V08: aborted, completed and terminated is what has no pod left that runs (VJ-178, VJ-180, VJ-181).
//!
//! A pod that has ended may still be on its way out. Creations without an answer at a crash of the subject are forgiven.

use super::gang_history::{self, is_alive_at};
use crate::{
    invariants::{
        Invariant,
        findings::{Findings, hole},
        upheavals::Upheavals,
    },
    property::Check,
    timeline::Timeline,
};

/// Phases that wait for pods to go, and what they wait for.
const WAITS: [(&str, &str); 3] = [("Aborting", "Aborted"), ("Completing", "Completed"), ("Terminating", "Terminated")];

pub(in crate::invariants) struct AliveAtTheEnd;

impl Invariant for AliveAtTheEnd {
    fn id(&self) -> &'static str {
        "V08"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job is called Aborted, Completed or Terminated after a kill only when none of its pods is alive"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-178", "VJ-180", "VJ-181"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let upheavals = Upheavals::of(timeline);
        for history in gang_history::all(timeline) {
            for change in history.changes().filter(|change| WAITS.contains(&(change.from, change.to))) {
                if upheavals.is_upset(change.after.at) {
                    continue;
                }
                findings.occasion();
                let revision = change.after.revision;
                if let Some(pod) = history.pods.iter().find(|pod| is_alive_at(pod, revision)) {
                    let observed = format!("Job {}: {} while pod {} is alive", history.name(), change.to, pod.name);
                    findings.breach(change.after, format!("{} when no pod is alive", change.to), observed);
                }
            }
        }
        findings.conclude(timeline, "no kill of a Volcano Job came to its end")
    }
}
