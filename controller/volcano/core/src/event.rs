//! From a change that a watch delivered to the event on the bus (VJ-120 to VJ-133).

use jobsworth_volcano_api::{Action, Event, PodGroupPhase};

use crate::pod::{PodPhase, PodView};
use crate::{Profile, Request};

/// A change of something that a job is made of.
#[derive(Clone, Debug)]
pub enum Change<'a> {
    /// The job is new to the controller.
    JobAdded,
    /// The job changed.
    JobUpdated {
        /// Whether its spec did.
        spec: bool,
        /// Whether its phase did.
        phase: bool,
    },
    /// A pod is new to the controller.
    PodAdded(&'a PodView),
    /// A pod changed.
    PodUpdated {
        /// Before.
        old: &'a PodView,
        /// Now.
        new: &'a PodView,
    },
    /// A pod is gone.
    PodDeleted {
        /// As it was last seen.
        pod: &'a PodView,
        /// Whether the controller had it on its books.
        known: bool,
    },
    /// The phase of the job's `PodGroup` changed.
    GroupPhase(Option<PodGroupPhase>),
    /// A Command for the job was taken off the API.
    Command(Action),
}

/// What a task's pods come to, the changed one included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskFacts {
    /// Its replicas.
    pub replicas: i32,
    /// Its pods that succeeded.
    pub succeeded: i32,
    /// Container restarts after which it has failed.
    pub max_restarts: i32,
    /// Container restarts of its Running and Pending pods.
    pub restarts: i32,
}

/// The event of a change; `None` for one that needs no look (VJ-099, VJ-120). `facts` is asked for where the verdict on a
/// pod depends on its neighbours.
#[must_use]
pub fn event_of(change: &Change<'_>, profile: Profile, facts: impl Fn(&str) -> TaskFacts) -> Option<Request> {
    let about = |pod: &PodView, event| Some(Request::about(pod, event, profile));
    match change {
        Change::JobAdded | Change::JobUpdated { spec: true, .. } | Change::JobUpdated { phase: true, .. } => {
            Some(Request::look())
        }
        Change::JobUpdated { .. } => None,
        Change::PodAdded(pod) if pod.out_of_sync => about(pod, Event::OutOfSync),
        Change::PodAdded(pod) => about(pod, Event::PodPending),
        Change::PodUpdated { old, new } => about(new, of_update(old, new, facts)),
        Change::PodDeleted { pod, known } => {
            // What the controller took down, or did not know, does not count as done.
            let succeeded = *known && !pod.out_of_sync && pod.phase == PodPhase::Succeeded;
            let request = about(pod, of_deletion(pod, *known, profile))?;
            Some(Request { succeeded, ..request })
        }
        Change::GroupPhase(Some(PodGroupPhase::Unknown)) => {
            Some(Request { event: Some(Event::Unknown), ..Request::default() })
        }
        Change::GroupPhase(_) => Some(Request::default()),
        Change::Command(action) => Some(Request::command(action.clone())),
    }
}

/// VJ-122 to VJ-126, VJ-128, VJ-133.
fn of_update(old: &PodView, new: &PodView, facts: impl Fn(&str) -> TaskFacts) -> Event {
    if new.out_of_sync {
        return Event::OutOfSync;
    }
    let changed = old.phase != new.phase;
    match new.phase {
        PodPhase::Failed if changed => Event::PodFailed,
        PodPhase::Succeeded if changed && is_complete(facts(&new.task)) => Event::TaskCompleted,
        PodPhase::Running if changed => Event::PodRunning,
        PodPhase::Pending if changed => Event::PodPending,
        PodPhase::Running | PodPhase::Pending if has_failed(facts(&new.task)) => Event::TaskFailed,
        _ => Event::OutOfSync,
    }
}

/// VJ-127, VJ-128. A pod that succeeded has nothing left to lose, but for release 1.15 (issue 3296).
fn of_deletion(pod: &PodView, known: bool, profile: Profile) -> Event {
    let harmless = pod.phase == PodPhase::Succeeded && !profile.repeats_lost_successes();
    if pod.out_of_sync || !known || harmless { Event::OutOfSync } else { Event::PodEvicted }
}

/// Whether a task has succeeded; one without replicas never has (VJ-123).
#[must_use]
pub const fn is_complete(task: TaskFacts) -> bool {
    task.replicas > 0 && task.succeeded >= task.replicas
}

/// Whether a task's containers were restarted too often (VJ-126).
#[must_use]
pub const fn has_failed(task: TaskFacts) -> bool {
    task.max_restarts > 0 && task.restarts >= task.max_restarts
}
