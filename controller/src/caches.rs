//! All caches of the controller together: which is locked first, and what a rewind of one means for the others.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jobsworth_controller_runtime::feed::{Change, Taken};
use jobsworth_controller_runtime::store::{Delta, Store};
use jobsworth_core::Gates;

use crate::cache::scheduling::Scheduling;
use crate::cache::{CachedJob, CachedPod, Pods};

/// Jobs, pods, Workloads and `PodGroup`s as the watches showed them.
#[derive(Debug, Default)]
pub struct Caches {
    jobs: Mutex<Store<CachedJob>>,
    pods: Mutex<Pods>,
    scheduling: Mutex<Scheduling>,
    /// Whether Workloads and `PodGroup`s are watched.
    schedules: bool,
}

impl Caches {
    /// Empty ones.
    #[must_use]
    pub fn new(gates: &Gates) -> Self {
        Self { schedules: gates.workload_with_job, ..Self::default() }
    }

    /// The Jobs.
    pub fn jobs(&self) -> MutexGuard<'_, Store<CachedJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pods. Whoever needs both takes the Jobs first.
    pub fn pods(&self) -> MutexGuard<'_, Pods> {
        self.pods.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The Workloads and `PodGroup`s; empty where their gate is off.
    pub fn scheduling(&self) -> MutexGuard<'_, Scheduling> {
        self.scheduling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there was a list of everything that is watched.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        let scheduling = !self.schedules || self.scheduling().is_filled();
        scheduling && self.jobs().is_filled() && self.pods().store().is_filled()
    }

    /// How often history went back: with another number, what was remembered is of another world.
    #[must_use]
    pub fn history(&self) -> u64 {
        self.jobs().rewinds().saturating_add(self.pods().store().rewinds())
    }

    /// Whether Jobs and pods are of the same history. For a while after a restored backup they are not.
    #[must_use]
    pub fn is_of_one_history(&self) -> bool {
        !self.jobs().is_of_the_past() && !self.pods().store().is_of_the_past()
    }

    /// Takes over what the watch of Jobs says: whether it was taken, and what it changed.
    pub fn apply_to_jobs(&self, change: Change<CachedJob>) -> (Taken, Vec<Delta<CachedJob>>) {
        let mut jobs = self.jobs();
        let rewinds = jobs.rewinds();
        let applied = jobs.apply(change);
        if jobs.rewinds() != rewinds {
            self.pods().await_list();
        }
        applied
    }

    /// Takes over what the watch of pods says: whether it was taken, and what it changed.
    pub fn apply_to_pods(&self, change: Change<CachedPod>) -> (Taken, Vec<Delta<CachedPod>>) {
        // Both are locked, in this order, as a rewind concerns both.
        let (mut jobs, mut pods) = (self.jobs(), self.pods());
        let rewinds = pods.store().rewinds();
        let applied = pods.apply(change);
        if pods.store().rewinds() != rewinds {
            jobs.await_list();
        }
        applied
    }
}
