//! V02: `version` and `retryCount` never fall (VJ-108, VJ-109, VJ-189b).

use super::gang_history;
use crate::{
    invariants::{Invariant, findings::Findings},
    property::Check,
    timeline::Timeline,
};

pub(in crate::invariants) struct CountsNeverFall;

impl Invariant for CountsNeverFall {
    fn id(&self) -> &'static str {
        "V02"
    }

    fn says(&self) -> &'static str {
        "version and retryCount of a Volcano Job never fall"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-108", "VJ-109", "VJ-189"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in gang_history::all(timeline) {
            for (before, after) in history.job.steps() {
                let (was, is) = (&before.object.status, &after.object.status);
                for (field, was, is) in
                    [("version", was.version, is.version), ("retryCount", was.retry_count, is.retry_count)]
                {
                    if was > 0 {
                        findings.occasion();
                    }
                    if is < was {
                        let observed = format!("Job {}: status.{field} {was} → {is}", history.name());
                        findings.breach(after, format!("status.{field} is at least {was}"), observed);
                    }
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job was killed or restarted")
    }
}
