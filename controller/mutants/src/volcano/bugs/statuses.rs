//! *Statuses*: what a job says of itself is not so.

use jiff::Timestamp;
use jobsworth_volcano_core::Decision;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::volcano::{Look, edit};

/// Takes every write of a status for a transition (VJ-114): the time is set where the status is written, not where the phase
/// is found. How long a job has been running cannot be told while its pods come and go.
pub fn each_write_is_a_transition(look: &Look, decision: &mut Decision) {
    let phase = look.status().state.phase;
    let now = Timestamp::from_second(look.now.as_second()).unwrap_or(look.now);
    edit::each_status(decision, |status| {
        if status.state.phase == phase {
            status.state.last_transition_time = Some(Time(now));
        }
    });
}

/// Adds a condition with each transition, and leaves the one of the last time where it is (VJ-112, VJ-B04). The list grows with
/// each restart, until the job is too large to be stored.
pub fn a_condition_for_each_time(look: &Look, decision: &mut Decision) {
    let old = look.status();
    edit::each_status(decision, |status| {
        let newest = status.conditions.last().filter(|_| status.state.phase != old.state.phase).cloned();
        if let Some(newest) = newest {
            status.conditions.clone_from(&old.conditions);
            status.conditions.push(newest);
        }
    });
}

/// Counts pods that are being deleted among those that run (VJ-105, VJ-165): their phase says so until they are gone.
pub fn what_goes_still_runs(_: &Look, decision: &mut Decision) {
    edit::each_status(decision, |status| {
        status.running = status.running.saturating_add(std::mem::take(&mut status.terminating));
    });
}
