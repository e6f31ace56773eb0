//! V01: only edges of the transition table appear (VJ-189a; VJ-168 to VJ-188).
//!
//! Two tables are in force: that of release 1.15, and the one in which what is issued while restarting is not lost
//! (VJ-188). An edge of either is one.

use super::gang_history;
use crate::{
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    timeline::Timeline,
};

/// From each phase where it may lead. What ended for good leads nowhere (VJ-182).
const EDGES: [(&str, &[&str]); 10] = [
    ("Pending", &["Running", "Restarting", "Aborting", "Terminating", "Completing"]),
    ("Running", &["Pending", "Completed", "Failed", "Restarting", "Aborting", "Terminating", "Completing"]),
    ("Restarting", &["Pending", "Failed", "Aborting", "Terminating", "Completing"]),
    ("Aborting", &["Aborted", "Restarting"]),
    ("Aborted", &["Restarting"]),
    ("Completing", &["Completed"]),
    ("Terminating", &["Terminated"]),
    ("Completed", &[]),
    ("Failed", &[]),
    ("Terminated", &[]),
];

pub(in crate::invariants) struct Transitions;

impl Invariant for Transitions {
    fn id(&self) -> &'static str {
        "V01"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job goes from phase to phase only as the transition table has it"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-175", "VJ-176", "VJ-177", "VJ-178", "VJ-179", "VJ-180", "VJ-181", "VJ-182", "VJ-189"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        for history in gang_history::all(timeline) {
            for change in history.changes() {
                findings.occasion();
                let known = EDGES.iter().find(|(from, _)| *from == change.from);
                let allowed = known.map_or(&[][..], |(_, to)| to);
                if !allowed.contains(&change.to) {
                    let expected = match allowed {
                        [] => format!("{} is not left", change.from),
                        _ => format!("from {} to {}", change.from, allowed.join(", ")),
                    };
                    let observed = format!("Job {}: {} → {}", history.name(), change.from, change.to);
                    findings.breach(change.after, expected, observed);
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job changed its phase")
    }
}
