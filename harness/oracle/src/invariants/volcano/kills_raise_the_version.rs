//! V14: a kill of the whole Job begins a new version, so that what its pods do from then on is news of the past (VJ-108,
//! VJ-138, VJ-153).

use super::gang_history;
use crate::{
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    timeline::Timeline,
};

pub(in crate::invariants) struct KillsRaiseTheVersion;

impl Invariant for KillsRaiseTheVersion {
    fn id(&self) -> &'static str {
        "V14"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job that begins to be aborted, completed or terminated gets a new version"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-108", "VJ-153"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        for history in gang_history::all(timeline) {
            let kills =
                history.changes().filter(|change| matches!(change.to, "Aborting" | "Completing" | "Terminating"));
            for change in kills {
                findings.occasion();
                let (was, is) = (change.before.object.status.version, change.after.object.status.version);
                if is <= was {
                    let observed =
                        format!("Job {}: {} → {}, version {was} → {is}", history.name(), change.from, change.to);
                    findings.breach(change.after, format!("a version above {was}"), observed);
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job was killed")
    }
}
