//! Suspending and resuming: the condition, the start time and the event.

use jiff::Timestamp;
use jobsworth_api::{ConditionKind, condition::reason};

use crate::{Condition, Gates, JobSpec, Notice, Status, lifecycle};

/// Brings the condition in line with `spec.suspend`; an event when it changes. The condition is never removed, and
/// never added as False (SUS-001, SUS-003, SUS-004, SUS-008, SUS-009, SUS-016, STA-011, EVT-004, EVT-009, DLN-004). With no active pod
/// it is what the API asks for before it takes edits of the template (SUS-011, SUS-014).
pub(crate) fn maintain(status: &mut Status, spec: &JobSpec, now: Timestamp, gates: &Gates) -> Option<Notice> {
    let suspended = status.holds(ConditionKind::Suspended);
    if spec.suspend && !suspended {
        let condition = Condition::new(ConditionKind::Suspended, "True", reason::JOB_SUSPENDED, "Job suspended", now);
        lifecycle::put(status, condition);
        if gates.mutable_scheduling_directives {
            status.start_time = None;
        }
        return Some(Notice::normal("Suspended", "Job suspended"));
    }
    if !spec.suspend && suspended {
        let condition = Condition::new(ConditionKind::Suspended, "False", reason::JOB_RESUMED, "Job resumed", now);
        lifecycle::put(status, condition);
        status.start_time = Some(now);
        return Some(Notice::normal("Resumed", "Job resumed"));
    }
    None
}
