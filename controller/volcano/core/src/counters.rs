//! How many pods are in which state.

use std::collections::BTreeMap;

use crate::pod::{PodPhase, PodView};

/// The counters of a job's status (VJ-105). A terminating pod counts as nothing else (VJ-165).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pods that wait for a node or for their containers.
    pub pending: i32,
    /// Pods that run.
    pub running: i32,
    /// Pods that ended well.
    pub succeeded: i32,
    /// Pods that ended badly.
    pub failed: i32,
    /// Pods that are being deleted.
    pub terminating: i32,
    /// Pods whose node does not answer.
    pub unknown: i32,
}

impl Counters {
    /// Enters one pod.
    pub fn add(&mut self, phase: PodPhase, terminating: bool) {
        let counter = match phase {
            _ if terminating => &mut self.terminating,
            PodPhase::Pending => &mut self.pending,
            PodPhase::Running => &mut self.running,
            PodPhase::Succeeded => &mut self.succeeded,
            PodPhase::Failed => &mut self.failed,
            PodPhase::Unknown => &mut self.unknown,
        };
        *counter = counter.saturating_add(1);
    }

    /// Whether no pod is left that runs, will run or is still going (VJ-178, VJ-180, VJ-181).
    #[must_use]
    pub const fn none_alive(&self) -> bool {
        self.pending == 0 && self.running == 0 && self.terminating == 0 && self.unknown == 0
    }

    /// Pods that ended.
    #[must_use]
    pub const fn ended(&self) -> i32 {
        self.succeeded.saturating_add(self.failed)
    }
}

/// Pods of one task by phase; phases without pods are absent (VJ-110).
pub type Phases = BTreeMap<String, i32>;

/// Counters of the whole job and of each task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Of all pods.
    pub all: Counters,
    /// `taskStatusCount`: task name to phases. Terminating pods are not in it.
    pub tasks: BTreeMap<String, Phases>,
}

impl Tally {
    /// Enters one pod.
    pub fn enter(&mut self, pod: &PodView, terminating: bool) {
        self.add(&pod.task, pod.phase, terminating);
    }

    /// Enters one pod of a task.
    pub fn add(&mut self, task: &str, phase: PodPhase, terminating: bool) {
        self.all.add(phase, terminating);
        if !terminating {
            let count = self.tasks.entry(task.to_owned()).or_default().entry(phase.as_str().to_owned()).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Pods of a task in a phase; `None` when no pod of the task is on record.
    #[must_use]
    pub fn of_task(&self, task: &str, phase: PodPhase) -> Option<i32> {
        let phases = self.tasks.get(task)?;
        Some(phases.get(phase.as_str()).copied().unwrap_or_default())
    }

    /// The larger of both, ended pods only: what once ended stays counted when its object goes (VJ-115).
    pub fn keep_ended(&mut self, earlier: &Self) {
        self.all.succeeded = self.all.succeeded.max(earlier.all.succeeded);
        self.all.failed = self.all.failed.max(earlier.all.failed);
        for (task, phases) in &earlier.tasks {
            for phase in [PodPhase::Succeeded, PodPhase::Failed] {
                let Some(known) = phases.get(phase.as_str()).copied().filter(|known| *known > 0) else { continue };
                let now = self.tasks.entry(task.clone()).or_default().entry(phase.as_str().to_owned()).or_default();
                *now = known.max(*now);
            }
        }
    }
}
