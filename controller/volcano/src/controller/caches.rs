//! All caches together, and what a sync takes from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jobsworth_controller_runtime::feed::{Change, Taken};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::store::{Delta, Store};
use jobsworth_volcano_api::Job;
use jobsworth_volcano_core::min_resources::Priorities;
use jobsworth_volcano_core::{Order, names, volumes};

use super::cache::{CachedClaim, CachedClass, CachedCommand, CachedGroup, CachedJob, CachedPod, CachedQueue};

/// What the watches showed. Whoever needs Jobs and pods takes the Jobs first.
#[derive(Debug, Default)]
pub struct Caches {
    jobs: Mutex<Store<CachedJob>>,
    pods: Mutex<Pods>,
    groups: Mutex<Store<CachedGroup>>,
    queues: Mutex<Store<CachedQueue>>,
    commands: Mutex<Store<CachedCommand>>,
    claims: Mutex<Store<CachedClaim>>,
    classes: Mutex<Store<CachedClass>>,
}

/// Pods, with the way in from the name of their job.
#[derive(Debug, Default)]
pub struct Pods {
    store: Store<CachedPod>,
    by_job: BTreeMap<Key, BTreeSet<Key>>,
}

impl Pods {
    /// The underlying store.
    #[must_use]
    pub fn store(&self) -> &Store<CachedPod> {
        &self.store
    }

    /// Pods whose controller is a Volcano Job of this name, whatever its UID, in the order of their names.
    #[must_use]
    pub fn of(&self, job: &Key) -> Vec<Arc<CachedPod>> {
        let keys = self.by_job.get(job).into_iter().flatten();
        keys.filter_map(|key| self.store.get(key).cloned()).collect()
    }

    fn apply(&mut self, change: Change<CachedPod>) -> (Taken, Vec<Delta<CachedPod>>) {
        let (taken, deltas) = self.store.apply(change);
        for delta in &deltas {
            if let Some((job, pod)) = delta.old.as_ref().and_then(|pod| Some((job_of(pod)?, &pod.key)))
                && let Some(pods) = self.by_job.get_mut(&job)
            {
                pods.remove(pod);
                if pods.is_empty() {
                    self.by_job.remove(&job);
                }
            }
            if let Some((job, pod)) = delta.new.as_ref().and_then(|pod| Some((job_of(pod)?, &pod.key))) {
                self.by_job.entry(job).or_default().insert(pod.clone());
            }
        }
        (taken, deltas)
    }
}

/// The job that a pod names as its controller.
#[must_use]
pub fn job_of(pod: &CachedPod) -> Option<Key> {
    let view = pod.object.as_ref()?;
    Some(Key { namespace: Arc::clone(&pod.key.namespace), name: Arc::clone(&view.job) })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Caches {
    /// The Jobs.
    pub fn jobs(&self) -> MutexGuard<'_, Store<CachedJob>> {
        lock(&self.jobs)
    }

    /// The pods.
    pub fn pods(&self) -> MutexGuard<'_, Pods> {
        lock(&self.pods)
    }

    /// The `PodGroup`s.
    pub fn groups(&self) -> MutexGuard<'_, Store<CachedGroup>> {
        lock(&self.groups)
    }

    /// The queues.
    pub fn queues(&self) -> MutexGuard<'_, Store<CachedQueue>> {
        lock(&self.queues)
    }

    /// The Commands.
    pub fn commands(&self) -> MutexGuard<'_, Store<CachedCommand>> {
        lock(&self.commands)
    }

    /// The claims.
    pub fn claims(&self) -> MutexGuard<'_, Store<CachedClaim>> {
        lock(&self.claims)
    }

    /// The priority classes.
    pub fn classes(&self) -> MutexGuard<'_, Store<CachedClass>> {
        lock(&self.classes)
    }

    /// Whether there was a list of everything that is watched.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        let (groups, queues, commands) =
            (self.groups().is_filled(), self.queues().is_filled(), self.commands().is_filled());
        let (claims, classes) = (self.claims().is_filled(), self.classes().is_filled());
        let own = self.jobs().is_filled() && self.pods().store.is_filled();
        own && groups && queues && commands && claims && classes
    }

    /// How often history went back: with another number, what was remembered is of another world.
    #[must_use]
    pub fn history(&self) -> u64 {
        self.jobs().rewinds().saturating_add(self.pods().store.rewinds())
    }

    /// Whether Jobs and pods are of the same history. For a while after a restored backup they are not.
    #[must_use]
    pub fn is_of_one_history(&self) -> bool {
        !self.jobs().is_of_the_past() && !self.pods().store.is_of_the_past()
    }

    /// Takes over what the watch of Jobs says: whether it was taken, and what it changed.
    pub fn apply_to_jobs(&self, change: Change<CachedJob>) -> (Taken, Vec<Delta<CachedJob>>) {
        let mut jobs = self.jobs();
        let rewinds = jobs.rewinds();
        let applied = jobs.apply(change);
        if jobs.rewinds() != rewinds {
            self.pods().store.await_list();
        }
        applied
    }

    /// Takes over what the watch of pods says: whether it was taken, and what it changed.
    pub fn apply_to_pods(&self, change: Change<CachedPod>) -> (Taken, Vec<Delta<CachedPod>>) {
        // Both are locked, in this order, as a rewind concerns both.
        let (mut jobs, mut pods) = (self.jobs(), self.pods());
        let rewinds = pods.store.rewinds();
        let applied = pods.apply(change);
        if pods.store.rewinds() != rewinds {
            jobs.await_list();
        }
        applied
    }

    /// The job's own `PodGroup`, or else the one that has its name (VJ-255).
    #[must_use]
    pub fn group_of(&self, job: &CachedJob) -> Option<Arc<CachedGroup>> {
        let own = Key { namespace: Arc::clone(&job.key.namespace), name: names::group(&job.object).into() };
        let groups = self.groups();
        groups.get(&own).or_else(|| groups.get(&job.key)).cloned()
    }

    /// Whether there is a queue of this name (VJ-160).
    #[must_use]
    pub fn has_queue(&self, name: &str) -> bool {
        self.queues().get(&Key { namespace: "".into(), name: name.into() }).is_some()
    }

    /// Of the claims that the job names those that are there.
    #[must_use]
    pub fn claims_of(&self, job: &CachedJob) -> BTreeSet<String> {
        let volumes = job.object.spec.volumes.iter().enumerate();
        let named = volumes.filter_map(|(at, volume)| volumes::claim_name(&job.object, at, volume));
        let claims = self.claims();
        let is_there = |name: &String| {
            claims.get(&Key { namespace: Arc::clone(&job.key.namespace), name: name.as_str().into() }).is_some()
        };
        named.filter(is_there).collect()
    }

    /// Values of the priority classes that the job's pods name.
    #[must_use]
    pub fn priorities_of(&self, job: &Job) -> Priorities {
        let templates = job.spec.tasks.iter().filter_map(|task| task.template.spec.as_ref());
        let named = templates.filter_map(|pod| pod.priority_class_name.as_ref());
        let classes = self.classes();
        let value = |name: &String| {
            let class = classes.get(&Key { namespace: "".into(), name: name.as_str().into() })?;
            Some((name.clone(), class.object.value))
        };
        named.filter_map(value).collect()
    }

    /// Commands for the job of this name, oldest first.
    #[must_use]
    pub fn orders_for(&self, job: &Key) -> Vec<Order> {
        let from = Key { namespace: Arc::clone(&job.namespace), name: "".into() };
        let commands = self.commands();
        let of_job = commands.of_namespace(&from).map(|(_, command)| command);
        let mut of_job: Vec<_> = of_job.filter(|command| command.object.job.as_ref() == Some(&job.name)).collect();
        of_job.sort_by(|a, b| (a.object.created, &a.key).cmp(&(b.object.created, &b.key)));
        let order = |command: &Arc<CachedCommand>| Order {
            name: command.key.name.to_string(),
            uid: Arc::clone(&command.uid),
            action: command.object.action.clone(),
        };
        of_job.into_iter().map(order).collect()
    }
}
