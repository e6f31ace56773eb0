//! When a finished job is to be deleted (VJ-236 to VJ-239).

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::Job;

use crate::transition::is_end;

/// Whether a job has outlived its `ttlSecondsAfterFinished`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Delete it: foreground, with the UID as a precondition, after a fresh read that says the same (VJ-237).
    Now,
    /// Look again after this time.
    In(SignedDuration),
    /// Not unless the job changes. Aborted jobs are never collected: they can be resumed (VJ-238).
    Never,
}

/// When the job is due. An end in the future only defers (VJ-239); one without a time is never due.
#[must_use]
pub fn expire(job: &Job, now: Timestamp) -> Due {
    let state = job.status.as_ref().map(|status| &status.state);
    let ended =
        state.filter(|state| state.phase.is_some_and(is_end)).and_then(|state| state.last_transition_time.as_ref());
    let (Some(ended), Some(ttl)) = (ended, job.spec.ttl_seconds_after_finished) else { return Due::Never };
    if job.metadata.deletion_timestamp.is_some() {
        return Due::Never;
    }
    let left = SignedDuration::from_secs(ttl.into()).saturating_sub(now.duration_since(ended.0));
    if left > SignedDuration::ZERO { Due::In(left) } else { Due::Now }
}
