//! `activeDeadlineSeconds`: measured from `startTime`, by a timer rather than by events.

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::ConditionKind;

use crate::{JobSpec, Status};

/// How long the Job may still be active; zero or less when it was for too long; `None` when nothing limits it. A Job
/// that is suspended, or whose resumption is yet to be written, starts its period anew
/// (DLN-001 to DLN-004, DLN-006, DLN-007).
pub(crate) fn remaining(spec: &JobSpec, status: &Status, now: Timestamp) -> Option<SignedDuration> {
    let deadline = SignedDuration::from_secs(spec.deadline_s.filter(|_| !spec.suspend)?);
    let start = match status.holds(ConditionKind::Suspended) {
        true => now,
        false => status.start_time?,
    };
    Some(deadline.saturating_sub(now.duration_since(start)))
}
