//! What a change wakes: which requests it makes, and which keys go into which queue (VJ-120 to VJ-133).

use std::sync::Arc;
use std::time::Duration;

use jobsworth_controller_runtime::feed::{Change, Taken};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::queue::WorkQueue;
use jobsworth_controller_runtime::store::Delta;
use jobsworth_volcano_api::well_known::{BATCH_API_VERSION, DEFAULT_MAX_RETRY, ROOT_QUEUE};
use jobsworth_volcano_api::{JobPhase, PodGroupPhase};
use jobsworth_volcano_core::event::{self, TaskFacts, event_of};
use jobsworth_volcano_core::pod::PodPhase;
use jobsworth_volcano_core::{PodView, Profile, volumes};

use super::cache::{CachedClaim, CachedClass, CachedCommand, CachedGroup, CachedJob, CachedPod, CachedQueue};
use super::caches::{Caches, job_of};
use super::inbox::Inboxes;
use super::metrics::Metrics;
use super::queue_index::QueueIndex;

/// How long changes of pods, groups and statuses are gathered: those of a gang come together, and further apart the more a machine has
/// to do. Each look that finds something new costs a write of the status. It is told as a metric: whoever counts requests has to know it.
const GATHER: Duration = Duration::from_millis(100);

/// The caches, and the queues that changes of them feed.
#[derive(Debug)]
pub struct EventHandlers {
    caches: Caches,
    inboxes: Inboxes,
    /// Jobs to be synced.
    pub sync: WorkQueue<Key>,
    /// Jobs that may have outlived their time.
    pub ttl: WorkQueue<Key>,
    /// Queues whose state may have to change.
    pub queues: WorkQueue<Key>,
    queue_index: QueueIndex,
    profile: Profile,
    metrics: Arc<Metrics>,
}

impl EventHandlers {
    /// Empty caches and queues, for so many workers each.
    #[must_use]
    pub fn new(profile: Profile, workers: usize, metrics: Arc<Metrics>) -> Self {
        metrics.gathers_for(GATHER);
        Self {
            caches: Caches::default(),
            inboxes: Inboxes::default(),
            sync: WorkQueue::new("volcano_job", workers, metrics.runtime()),
            ttl: WorkQueue::new("volcano_job_ttl", workers, metrics.runtime()),
            queues: WorkQueue::new("volcano_queue", 1, metrics.runtime()),
            queue_index: QueueIndex::default(),
            profile,
            metrics,
        }
    }

    /// What the watches showed.
    #[must_use]
    pub fn caches(&self) -> &Caches {
        &self.caches
    }

    /// Requests that wait.
    #[must_use]
    pub fn inboxes(&self) -> &Inboxes {
        &self.inboxes
    }

    /// What is known about queues.
    #[must_use]
    pub fn queue_index(&self) -> &QueueIndex {
        &self.queue_index
    }

    /// A job that may be gone. Small ones come before large ones, but not for ever.
    fn wake(&self, job: &Key, delay: Duration) {
        let size = self.caches.jobs().get(job).map_or(0, |job| job.work_left());
        self.sync.add_sized(job.clone(), delay, size);
    }

    fn wake_queue(&self, name: Arc<str>) {
        self.queues.add(Key { namespace: "".into(), name }, Duration::ZERO);
    }

    /// Takes over what the watch of Jobs says.
    pub fn job_change(&self, change: Change<CachedJob>) -> Taken {
        let (taken, deltas) = self.caches.apply_to_jobs(change);
        deltas.iter().for_each(|delta| self.job_delta(delta));
        taken
    }

    /// Takes over what the watch of pods says.
    pub fn pod_change(&self, change: Change<CachedPod>) -> Taken {
        let (taken, deltas) = self.caches.apply_to_pods(change);
        deltas.iter().for_each(|delta| self.pod_delta(delta));
        taken
    }

    /// Takes over what the watch of `PodGroup`s says.
    pub fn group_change(&self, change: Change<CachedGroup>) -> Taken {
        let (taken, deltas) = self.caches.groups().apply(change);
        deltas.iter().for_each(|delta| self.group_delta(delta));
        taken
    }

    /// Takes over what the watch of queues says. Jobs that miss theirs look again by themselves; when the root comes, queues
    /// that were there before it have a place.
    pub fn queue_change(&self, change: Change<CachedQueue>) -> Taken {
        let (taken, deltas) = self.caches.queues().apply(change);
        let new = deltas.iter().filter(|delta| delta.old.is_none()).filter_map(|delta| delta.new.as_ref());
        if let Some(root) = new.into_iter().find(|queue| *queue.key.name == *ROOT_QUEUE) {
            let first = Key { name: "".into(), ..root.key.clone() };
            let all: Vec<_> = self.caches.queues().of_namespace(&first).map(|(key, _)| Arc::clone(&key.name)).collect();
            all.into_iter().for_each(|name| self.wake_queue(name));
        }
        for queue in deltas.iter().filter_map(|delta| delta.new.as_ref()) {
            self.wake_queue(Arc::clone(&queue.key.name));
        }
        taken
    }

    /// Takes over what the watch of Commands says (VJ-131).
    pub fn command_change(&self, change: Change<CachedCommand>) -> Taken {
        let (taken, deltas) = self.caches.commands().apply(change);
        for queue in deltas.iter().filter_map(|delta| self.queue_index.command_delta(delta)) {
            self.wake_queue(queue);
        }
        for command in deltas.iter().filter_map(|delta| delta.new.as_ref()) {
            if let Some(job) = &command.object.job {
                let key = Key { namespace: Arc::clone(&command.key.namespace), name: Arc::clone(job) };
                self.wake(&key, Duration::ZERO);
            }
        }
        taken
    }

    /// Takes over what the watch of claims says: jobs that wait for one go on (VJ-248).
    pub fn claim_change(&self, change: Change<CachedClaim>) -> Taken {
        let (taken, deltas) = self.caches.claims().apply(change);
        for claim in deltas.iter().filter(|delta| delta.old.is_none()).filter_map(|delta| delta.new.as_ref()) {
            let from = Key { namespace: Arc::clone(&claim.key.namespace), name: "".into() };
            for (key, job) in self.caches.jobs().of_namespace(&from) {
                let mut volumes = job.object.spec.volumes.iter().enumerate();
                if volumes.any(|(at, it)| volumes::claim_name(&job.object, at, it).as_deref() == Some(&claim.key.name))
                {
                    self.sync.add_sized(key.clone(), Duration::ZERO, job.work_left());
                }
            }
        }
        taken
    }

    /// Takes over what the watch of priority classes says.
    pub fn class_change(&self, change: Change<CachedClass>) -> Taken {
        self.caches.classes().apply(change).0
    }

    /// VJ-120. Every change of the object wakes the job; what is a request is another matter.
    fn job_delta(&self, delta: &Delta<CachedJob>) {
        let before = match (&delta.old, &delta.new) {
            (Some(old), Some(new)) if old.uid == new.uid => Some(old),
            (Some(old), _) => {
                self.inboxes.forget(&old.key);
                self.metrics.forget(&old.key, &old.object.spec.queue);
                self.sync.add(old.key.clone(), Duration::ZERO);
                None
            }
            (None, _) => None,
        };
        let Some(new) = &delta.new else { return };
        let change = match before {
            None => event::Change::JobAdded,
            Some(old) => {
                event::Change::JobUpdated { spec: old.object.spec != new.object.spec, phase: phase(old) != phase(new) }
            }
        };
        let urgent = !matches!(change, event::Change::JobUpdated { spec: false, .. });
        self.tell(&new.key, &change);
        self.sync.add_sized(new.key.clone(), if urgent { Duration::ZERO } else { GATHER }, new.work_left());
        if new.object.spec.ttl_seconds_after_finished.is_some() {
            self.ttl.add(new.key.clone(), Duration::ZERO);
        }
    }

    /// VJ-121 to VJ-128.
    fn pod_delta(&self, delta: &Delta<CachedPod>) {
        let read = |pod: &Option<Arc<CachedPod>>| {
            let pod = pod.as_ref()?;
            Some((job_of(pod)?, pod.object.clone()?))
        };
        let (old, new) = (read(&delta.old), read(&delta.new));
        let same = |a: &PodView, b: &PodView| a.uid == b.uid && a.job_uid == b.job_uid;
        if let (Some((job, old)), Some((_, new))) = (&old, &new)
            && same(old, new)
        {
            return self.pod_event(job, &event::Change::PodUpdated { old, new });
        }
        if let Some((job, pod)) = &old {
            self.pod_event(job, &event::Change::PodDeleted { pod, known: true });
        }
        if let Some((job, pod)) = &new {
            self.pod_event(job, &event::Change::PodAdded(pod));
        }
    }

    fn pod_event(&self, job: &Key, change: &event::Change<'_>) {
        self.tell(job, change);
        self.wake(job, GATHER);
    }

    /// VJ-129, VJ-130.
    fn group_delta(&self, delta: &Delta<CachedGroup>) {
        for queue in self.queue_index.group_delta(delta) {
            self.wake_queue(queue);
        }
        let Some(group) = delta.new.as_ref().or(delta.old.as_ref()) else { return };
        let owners = group.object.metadata.owner_references.iter().flatten();
        let mut owners = owners.filter(|owner| owner.kind == "Job" && owner.api_version == BATCH_API_VERSION);
        // One that somebody made for the job before has its name (VJ-255).
        let name = owners.next().map_or_else(|| Arc::clone(&group.key.name), |owner| owner.name.as_str().into());
        let job = Key { namespace: Arc::clone(&group.key.namespace), name };
        let phase = |group: &Option<Arc<CachedGroup>>| group.as_ref().and_then(|group| group_phase(group));
        if delta.new.is_some() && phase(&delta.old) != phase(&delta.new) {
            self.tell(&job, &event::Change::GroupPhase(phase(&delta.new)));
        }
        self.wake(&job, GATHER);
    }

    /// Puts the request of a change into the job's inbox, if it is one. Nobody would take it out for a job that is not there.
    fn tell(&self, job: &Key, change: &event::Change<'_>) {
        let known = {
            let jobs = self.caches.jobs();
            !jobs.is_filled() || jobs.get(job).is_some()
        };
        if known && let Some(request) = event_of(change, self.profile, |task| self.facts(job, task)) {
            self.inboxes.put(job, request);
        }
    }

    /// VJ-123, VJ-126.
    fn facts(&self, key: &Key, task: &str) -> TaskFacts {
        let Some(job) = self.caches.jobs().get(key).cloned() else { return TaskFacts::default() };
        let Some(spec) = job.object.spec.tasks.iter().find(|spec| spec.name == task) else {
            return TaskFacts::default();
        };
        let pods = self.caches.pods().of(key);
        let pods = pods.iter().filter_map(|pod| pod.object.as_ref());
        let none = TaskFacts {
            replicas: spec.replicas,
            max_restarts: if spec.max_retry == 0 { DEFAULT_MAX_RETRY } else { spec.max_retry },
            ..TaskFacts::default()
        };
        pods.filter(|pod| pod.task == task && pod.job_uid == job.uid).fold(none, |mut facts, pod| {
            match pod.phase {
                PodPhase::Succeeded => facts.succeeded = facts.succeeded.saturating_add(1),
                PodPhase::Running | PodPhase::Pending => facts.restarts = facts.restarts.saturating_add(pod.restarts),
                PodPhase::Failed | PodPhase::Unknown => {}
            }
            facts
        })
    }
}

fn phase(job: &CachedJob) -> Option<JobPhase> {
    job.object.status.as_ref().and_then(|status| status.state.phase)
}

fn group_phase(group: &CachedGroup) -> Option<PodGroupPhase> {
    group.object.status.as_ref().and_then(|status| status.phase)
}
