//! When a finished Job is to be deleted.

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::ConditionKind;

use crate::JobView;

/// Whether a Job has outlived its `ttlSecondsAfterFinished`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Delete it: foreground, with UID and resourceVersion as preconditions. The metric gets the time since expiry.
    Now {
        /// For how long it has been due (TTL-017).
        overdue: SignedDuration,
    },
    /// Look again after this time.
    In(SignedDuration),
    /// Not unless the Job changes.
    Never,
    /// The Job is finished but does not say since when: an error, to be tried again (TTL-015).
    Unclear,
}

/// When the Job is due. `managedBy`, owners and suspension do not matter
/// (TTL-001 to TTL-003, TTL-007 to TTL-011, TTL-013, TTL-014, TTL-022, MGB-009, STA-022).
#[must_use]
pub fn due(job: &JobView, now: Timestamp) -> Due {
    let Some(ttl) = job.spec.ttl_s.filter(|_| !job.deleting) else { return Due::Never };
    let terminal = job.status.conditions.iter().find(|condition| {
        let kind = &*condition.kind;
        condition.is_true() && (kind == ConditionKind::Complete.as_str() || kind == ConditionKind::Failed.as_str())
    });
    let Some(terminal) = terminal else { return Due::Never };
    let Some(finished) = terminal.last_transition else { return Due::Unclear };
    let remaining = SignedDuration::from_secs(ttl).saturating_sub(now.duration_since(finished));
    match remaining > SignedDuration::ZERO {
        true => Due::In(remaining),
        false => Due::Now { overdue: SignedDuration::ZERO.saturating_sub(remaining) },
    }
}

/// Whether the finish time is in the future: the clocks differ (TTL-013).
#[must_use]
pub fn is_skewed(job: &JobView, now: Timestamp) -> bool {
    let terminal = [ConditionKind::Complete, ConditionKind::Failed];
    let since = |kind| job.status.condition(kind).filter(|c| c.is_true()).and_then(|c| c.last_transition);
    terminal.into_iter().filter_map(since).any(|finished| finished > now)
}
