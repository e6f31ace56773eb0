//! V13: a restart counts once, when it begins, and there are no more than the Job may have (VJ-109, VJ-175, VJ-176, VJ-186).
//!
//! Whether a resumption counts is open: release 1.15 counts it (VJ-187).

use super::gang_history;
use crate::{
    history::Version,
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    recorded::volcano::Job,
    timeline::Timeline,
};

pub(in crate::invariants) struct Retries;

impl Invariant for Retries {
    fn id(&self) -> &'static str {
        "V13"
    }

    fn says(&self) -> &'static str {
        "retryCount of a Volcano Job rises by one when it begins to restart, never else, and not above maxRetry"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-109", "VJ-186"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        for history in gang_history::all(timeline) {
            for (before, after) in history.job.steps() {
                let (was, is) = (before.object.status.retry_count, after.object.status.retry_count);
                let (least, most) = allowed(before, after);
                if most > 0 {
                    findings.occasion();
                }
                let risen = is.saturating_sub(was);
                if risen > most || (risen >= 0 && risen < least) {
                    let (from, to) = (before.object.phase(), after.object.phase());
                    let observed = format!("Job {}: {from} → {to}, retryCount {was} → {is}", history.name());
                    let expected = match (least, most) {
                        (_, 0) => "retryCount rises only when a restart begins",
                        (0, _) => "retryCount rises by one at most",
                        _ => "a restart that begins counts once",
                    };
                    findings.breach(after, expected, observed);
                }
                // Without the webhook it may be 0, which ends with the first restart.
                let limit = after.object.spec.max_retry.max(1);
                if is > limit && is > was {
                    let observed = format!("Job {}: retryCount {is}", history.name());
                    findings.breach(after, format!("at most maxRetry {limit}"), observed);
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job was restarted")
    }
}

/// By how much `retryCount` rises in this step, at least and at most.
fn allowed(before: &Version<Job>, after: &Version<Job>) -> (i32, i32) {
    match (before.object.phase(), after.object.phase()) {
        ("Pending" | "Running", "Restarting") => (1, 1),
        ("Aborting" | "Aborted", "Restarting") => (0, 1),
        _ => (0, 0),
    }
}
