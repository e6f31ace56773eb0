//! What a change of a Job or pod wakes: which keys go into which queue, and after which delay.
//!
//! New Jobs, deletions and changes of the spec are looked at immediately; pod events and status changes are gathered for a second
//! (SYN-002, SYN-003). The exceptions are the edges at which there is nothing left to wait for: the last live pod has ended, or the
//! pod that just ended decides its Job by the success policy or by the pod failure policy.

use std::sync::Arc;
use std::time::Duration;

use jobsworth_api::ConditionKind;
use jobsworth_controller_runtime::feed::{Change, Resource, Taken};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::metrics::ResourceLabels;
use jobsworth_controller_runtime::queue::WorkQueue;
use jobsworth_controller_runtime::store::{Cached, Delta};
use jobsworth_core::failure_policy::FailureAction;
use jobsworth_core::pod::Phase;
use jobsworth_core::{Gates, JobView, Role, Uid, scheduling};

use crate::cache::scheduling::{CachedGroup, CachedWorkload};
use crate::cache::{CachedJob, CachedPod};
use crate::caches::Caches;
use crate::metrics::{Metrics, Tracking, queue};

/// How long pod events and status changes are gathered.
const BATCH: Duration = Duration::from_secs(1);

/// The caches, and the queues that changes of them feed.
#[derive(Debug)]
pub struct EventHandlers {
    caches: Caches,
    /// Jobs to be synced.
    pub sync: WorkQueue<Key>,
    /// Pods whose finalizer nobody may ever remove otherwise.
    pub orphans: WorkQueue<Key>,
    /// Jobs that outlive their time.
    pub ttl: WorkQueue<Key>,
    role: Role,
    gates: Gates,
    metrics: Arc<Metrics>,
}

impl EventHandlers {
    /// Empty caches and queues.
    /// The queues have the names of the built-in controllers' (SYN-028, TTL-018, MET-017).
    #[must_use]
    pub fn new(role: Role, gates: Gates, job_workers: usize, ttl_workers: usize, metrics: Arc<Metrics>) -> Self {
        Self {
            caches: Caches::new(&gates),
            sync: WorkQueue::new(queue::SYNC, job_workers, metrics.runtime()),
            orphans: WorkQueue::new(queue::ORPHANS, job_workers, metrics.runtime()),
            ttl: WorkQueue::new(queue::TTL, ttl_workers, metrics.runtime()),
            role,
            gates,
            metrics,
        }
    }

    /// What the watches showed.
    #[must_use]
    pub fn caches(&self) -> &Caches {
        &self.caches
    }

    /// Whose Jobs are ours.
    #[must_use]
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// Which features are on.
    #[must_use]
    pub fn gates(&self) -> &Gates {
        &self.gates
    }

    /// All series.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Takes over what the watch of Jobs says.
    pub fn job_change(&self, change: Change<CachedJob>) -> Taken {
        self.count_unreadable(&change);
        let (taken, deltas) = self.caches.apply_to_jobs(change);
        for delta in deltas {
            self.job_delta(&delta);
        }
        taken
    }

    /// Takes over what the watch of pods says.
    pub fn pod_change(&self, change: Change<CachedPod>) -> Taken {
        self.count_unreadable(&change);
        let (taken, deltas) = self.caches.apply_to_pods(change);
        for delta in deltas {
            self.pod_delta(&delta);
        }
        taken
    }

    /// Takes over what the watch of Workloads says. Of a Job's own Workload the Job hears, of any other those Jobs of the
    /// namespace whose parent has one (SCH-006, SCH-007).
    pub fn workload_change(&self, change: Change<CachedWorkload>) -> Taken {
        let (taken, deltas) = self.caches.scheduling().workload_change(change);
        for delta in deltas {
            for workload in [&delta.old, &delta.new].into_iter().flatten() {
                match workload.0.job() {
                    Some(job) => self.sync.add(job, BATCH),
                    None => self.wake_children(workload.0.namespace()),
                }
            }
        }
        taken
    }

    /// Takes over what the watch of `PodGroup`s says.
    pub fn group_change(&self, change: Change<CachedGroup>) -> Taken {
        let (taken, deltas) = self.caches.scheduling().group_change(change);
        for delta in deltas {
            for job in [&delta.old, &delta.new].into_iter().flatten().filter_map(|group| group.0.job()) {
                self.sync.add(job, BATCH);
            }
        }
        taken
    }

    /// Jobs that need little come before those that need much, but not for ever (SLO-009).
    fn wake(&self, job: &CachedJob, delay: Duration) {
        self.sync.add_sized(job.key(), delay, job.view.work_left());
    }

    fn wake_children(&self, namespace: &Arc<str>) {
        let from = Key { namespace: Arc::clone(namespace), name: "".into() };
        for (_, job) in self.caches.jobs().of_namespace(&from) {
            if scheduling::is_delegated(&job.object()) {
                self.wake(job, BATCH);
            }
        }
    }

    /// Urgent is what is new, gone or asked for anew; a status is not. The first list feeds every queue, and only Jobs are ever due
    /// (SYN-002, SYN-003, SYN-028, FIN-011, FIN-012, MGB-006, MET-014, TTL-009, TTL-016, TTL-020).
    fn job_delta(&self, delta: &Delta<CachedJob>) {
        let same = |old: &CachedJob, new: &CachedJob| old.view.uid == new.view.uid;
        if let Some(old) = &delta.old
            && !delta.new.as_ref().is_some_and(|new| same(old, new))
        {
            self.release_pods_of(&old.view.uid, Duration::ZERO);
            self.give_up_strays(old);
        }
        let Some(new) = &delta.new else {
            if let Some(old) = &delta.old {
                self.sync.add(old.key(), Duration::ZERO);
            }
            return;
        };
        let before = delta.old.as_ref().filter(|old| same(old, new));
        if before.is_none()
            && let Some(name) = self.role.external_manager(&new.view.spec, &self.gates)
        {
            self.metrics.managed_by(name);
        }
        let urgent = before
            .is_none_or(|old| old.view.generation != new.view.generation || old.view.deleting != new.view.deleting);
        self.wake(new, if urgent { Duration::ZERO } else { BATCH });
        let finished = new.view.status.is_finished();
        if finished && new.view.spec.ttl_s.is_some() && self.role == Role::BuiltIn {
            self.ttl.add(new.key(), Duration::ZERO);
        }
        let claims = |job: &CachedJob| !job.view.deleting && !job.view.status.is_finished();
        if !claims(new) && before.is_none_or(|old| claims(old)) {
            self.give_up_strays(new);
        }
        if finished {
            // The syncs before should have released them all; this is for what went wrong (FIN-011).
            self.release_pods_of(&new.view.uid, BATCH);
        }
    }

    /// Pods without a controller that this Job would have adopted, and now never will: an orphaning deletion takes the
    /// reference off them, and that may be seen before the deletion is (FIN-012).
    fn give_up_strays(&self, job: &CachedJob) {
        let pods = self.caches.pods().of(&job.view);
        for pod in pods.iter().filter(|pod| pod.view.owner.is_none() && pod.view.tracked) {
            self.offer(pod, true);
        }
    }

    fn release_pods_of(&self, job: &Uid, delay: Duration) {
        let tracked = self.caches.pods().tracked_of(job);
        for pod in tracked {
            self.orphans.add(pod, delay);
        }
    }

    /// (SYN-003, SYN-009, SYN-010, FIN-012, FIN-016)
    fn pod_delta(&self, delta: &Delta<CachedPod>) {
        self.count_tracked(delta);
        let owner = |pod: &Option<Arc<CachedPod>>| pod.as_ref().and_then(|pod| pod.view.owner.clone());
        let (before, after) = (owner(&delta.old), owner(&delta.new));
        let one = before == after;
        for (pod, owner) in [(&delta.old, &before), (&delta.new, &after)].into_iter().skip(usize::from(one)) {
            let (Some(pod), Some(owner)) = (pod, owner) else { continue };
            // Both the Job that had it and the one that has it now (SYN-009).
            if owner.is_job {
                let key = Key { namespace: Arc::clone(&pod.namespace), name: Arc::clone(&owner.name) };
                self.wake_owner(&key, &owner.uid, just_ended(delta));
            }
        }
        let Some(pod) = &delta.new else { return };
        match &after {
            Some(owner) if owner.is_job => {
                let key = Key { namespace: Arc::clone(&pod.namespace), name: Arc::clone(&owner.name) };
                let job = self.caches.jobs().get(&key).cloned().filter(|job| job.view.uid == owner.uid);
                if pod.view.tracked && job.is_none_or(|job| job.view.status.is_finished()) {
                    self.orphans.add(pod.key(), BATCH);
                }
            }
            Some(_) => {}
            None => {
                let same = |old: &Arc<CachedPod>| old.view.uid == pod.view.uid && old.view.labels == pod.view.labels;
                let known = before.is_none() && delta.old.as_ref().is_some_and(same);
                self.offer(pod, !known);
            }
        }
    }

    /// (SYN-003, SYN-008)
    fn wake_owner(&self, key: &Key, uid: &Uid, ended: Option<&CachedPod>) {
        let job = self.caches.jobs().get(key).cloned().filter(|job| job.view.uid == *uid);
        if let Some(job) = job {
            let edge = !job.view.status.is_finished()
                && (self.caches.pods().all_ended(uid, wanted(&job.view))
                    || ended.is_some_and(|pod| self.decides(&job, pod)));
            if edge {
                // Its pods are there, whatever the status says yet.
                self.sync.add_sized(key.clone(), Duration::ZERO, wanted(&job.view));
            } else {
                self.wake(&job, BATCH);
            }
        }
    }

    /// Whether a policy of an undecided Job has what it waits for now that this pod has ended (SUC-001, PFP-002). The sync decides;
    /// this only says that it need not wait.
    fn decides(&self, job: &CachedJob, pod: &CachedPod) -> bool {
        let job = &job.view;
        let holds = |kind| job.status.holds(kind);
        if holds(ConditionKind::SuccessCriteriaMet) || holds(ConditionKind::FailureTarget) {
            return false;
        }
        if pod.view.phase == Phase::Failed {
            let ruling = job.spec.failure_policy.as_ref().and_then(|policy| policy.ruling(job, &pod.view, &self.gates));
            return ruling.is_some_and(|ruling| ruling.action == FailureAction::FailJob);
        }
        let Some(policy) = &job.spec.success_policy else { return false };
        let completed = job.status.completed.union(&self.caches.pods().succeeded(&job.uid));
        policy.satisfied_by(&completed).is_some()
    }

    /// A pod that nobody controls: every Job that selects it may want it, or else nobody removes its finalizer. Jobs that were
    /// asked before are not asked again because the pod runs or ends (SYN-010).
    fn offer(&self, pod: &CachedPod, anew: bool) {
        if !anew && !pod.view.tracked {
            return;
        }
        let mut wanted = false;
        let from = Key { namespace: Arc::clone(&pod.namespace), name: "".into() };
        for (_, job) in self.caches.jobs().of_namespace(&from) {
            let view = &job.view;
            if view.spec.selector.matches(&pod.view.labels) {
                wanted |= !view.deleting && !view.status.is_finished() && !pod.view.deleting;
                if anew {
                    self.wake(job, BATCH);
                }
            }
        }
        if pod.view.tracked && !wanted {
            self.orphans.add(pod.key(), Duration::ZERO);
        }
    }

    /// Each version of an object that cannot be read as a whole is told of.
    fn count_unreadable<T: Cached + Resource>(&self, change: &Change<T>) {
        let complaint = |object: &T| Some((object.key(), object.complaint()?.to_owned()));
        let all: Vec<(Key, String)> = match change {
            Change::Listed { objects, .. } => objects.iter().filter_map(complaint).collect(),
            Change::Applied(object) => complaint(object).into_iter().collect(),
            Change::Unreadable(key) => vec![(key.clone(), "it does not say who it is".to_owned())],
            Change::Deleted(_) | Change::Progress(_) => return,
        };
        for (key, why) in all {
            tracing::warn!(resource = T::NAME, object = %key, why, "an object cannot be read as a whole");
            self.metrics.runtime().unreadable_objects.get_or_create(&ResourceLabels { resource: T::NAME }).inc();
        }
    }

    /// (MET-009)
    fn count_tracked(&self, delta: &Delta<CachedPod>) {
        let holds =
            |pod: &Option<Arc<CachedPod>>| pod.as_ref().is_some_and(|pod| pod.view.tracked && pod.view.is_terminal());
        let tracking = match (holds(&delta.old), holds(&delta.new)) {
            (false, true) => Tracking::Added,
            (true, false) => Tracking::Deleted,
            _ => return,
        };
        self.metrics.tracked(tracking);
    }
}

/// How many pods a Job has at once until its completions are counted. A work queue says nothing about it.
fn wanted(job: &JobView) -> u32 {
    let left = job.spec.completions.map_or(0, |completions| completions.saturating_sub(job.status.succeeded));
    left.min(job.spec.parallelism)
}

/// The pod, if this is the change by which it came to its end.
fn just_ended(delta: &Delta<CachedPod>) -> Option<&CachedPod> {
    let phase = |pod: &Option<Arc<CachedPod>>| pod.as_ref().map(|pod| pod.view.phase);
    let ended =
        matches!(phase(&delta.new), Some(Phase::Succeeded | Phase::Failed)) && phase(&delta.new) != phase(&delta.old);
    delta.new.as_deref().filter(|_| ended)
}

#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod tests;
