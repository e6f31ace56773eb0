//! Delayed actions in memory, as release 1.15 keeps them (VJ-196 to VJ-200).

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, Event};

use crate::{Request, Uid};

/// The delayed actions of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timers(Vec<Timer>);

/// What an action is about.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Job,
    Task,
    Pod,
    Partition,
}

#[derive(Clone, Debug, PartialEq)]
struct Timer {
    request: Request,
    action: Action,
    due: Timestamp,
}

impl Timers {
    /// Starts one. A second event of the pod with the same action does not start it anew (VJ-196); one with another action
    /// has a timer of its own, and both fire (VJ-200).
    pub fn start(&mut self, request: &Request, action: &Action, due: Timestamp) -> bool {
        let same = |timer: &Timer| name(&timer.request) == name(request) && timer.action == *action;
        if self.0.iter().any(same) {
            return false;
        }
        self.0.push(Timer { request: request.clone(), action: action.clone(), due });
        true
    }

    /// What an event calls off (VJ-197): waiting by anything later of the same pod, failure and eviction by a pod of that
    /// name that runs.
    pub fn call_off(&mut self, event: &Request) {
        let Some((pod, uid)) = &event.pod else { return };
        self.0.retain(|timer| {
            let Some((name, owner)): &Option<(Arc<str>, Uid)> = &timer.request.pod else { return true };
            match timer.request.event {
                Some(Event::PodPending) => owner != uid || event.event == Some(Event::PodPending),
                Some(Event::PodFailed | Event::PodEvicted) => name != pod || event.event != Some(Event::PodRunning),
                _ => true,
            }
        });
    }

    /// Drops those of the same class and the same target as an action that is carried out (VJ-198).
    pub fn drop_class(&mut self, request: &Request, action: &Action) {
        let Some(class) = Class::of(action) else { return };
        self.0.retain(|timer| Class::of(&timer.action) != Some(class) || !class.is_same(&timer.request, request));
    }

    /// Takes out the first that is due.
    pub fn take_due(&mut self, now: Timestamp) -> Option<(Request, Action)> {
        let at = self.0.iter().position(|timer| timer.due <= now)?;
        let timer = self.0.remove(at);
        Some((timer.request, timer.action))
    }

    /// The time until the next one is due.
    #[must_use]
    pub fn next(&self, now: Timestamp) -> Option<SignedDuration> {
        self.0.iter().map(|timer| timer.due.duration_since(now).max(SignedDuration::ZERO)).min()
    }
}

impl Class {
    /// A look at the job is of no class.
    const fn of(action: &Action) -> Option<Self> {
        match action {
            Action::RestartTask => Some(Self::Task),
            Action::RestartPod => Some(Self::Pod),
            Action::RestartPartition => Some(Self::Partition),
            Action::SyncJob => None,
            _ => Some(Self::Job),
        }
    }

    fn is_same(self, one: &Request, other: &Request) -> bool {
        match self {
            Self::Job => true,
            Self::Task => one.task == other.task,
            Self::Pod => name(one) == name(other),
            Self::Partition => one.task == other.task && one.partition == other.partition,
        }
    }
}

fn name(request: &Request) -> Option<&Arc<str>> {
    request.pod.as_ref().map(|(name, _)| name)
}
