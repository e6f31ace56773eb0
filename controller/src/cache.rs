//! What the watches showed, in ordered maps: no decision can depend on the order of a hash.
//!
//! Nothing goes back in time: an object is replaced only by a newer version of itself, and a list that is older than what is
//! known already is not taken over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jobsworth_api::IndexSet;
use jobsworth_controller_runtime::feed::{Change, Taken};
use jobsworth_controller_runtime::key::Key;
use jobsworth_core::pod::Phase;
use jobsworth_core::{JobView, PodView, Uid};
use k8s_openapi::api::batch::v1::Job;
use serde_json::value::RawValue;

mod decode;
pub mod scheduling;

/// A Job: as it is written back, and as decisions see it.
#[derive(Debug)]
pub struct CachedJob {
    /// The object, without its managed fields.
    pub object: Job,
    /// What decisions look at.
    pub view: JobView,
    /// `spec.template` as it came: pods get what we do not know of it too.
    pub template: Box<RawValue>,
}

/// A pod, as decisions see it.
#[derive(Debug)]
pub struct CachedPod {
    /// `metadata.namespace`.
    pub namespace: Arc<str>,
    /// The rest.
    pub view: PodView,
    /// Why some of it could not be read, if so.
    pub complaint: Option<String>,
}

/// What a cache needs to know of an object.
pub trait Cached {
    /// Namespace and name.
    fn key(&self) -> Key;
    /// `metadata.uid`.
    fn uid(&self) -> &Uid;
    /// `metadata.resourceVersion`.
    fn revision(&self) -> u64;
    /// Why it could not be read as a whole, if so.
    fn complaint(&self) -> Option<&str>;
}

impl Cached for CachedJob {
    fn key(&self) -> Key {
        Key { namespace: Arc::clone(&self.view.namespace), name: Arc::clone(&self.view.name) }
    }

    fn uid(&self) -> &Uid {
        &self.view.uid
    }

    fn revision(&self) -> u64 {
        self.view.revision
    }

    fn complaint(&self) -> Option<&str> {
        self.view.unreadable.as_deref()
    }
}

impl Cached for CachedPod {
    fn key(&self) -> Key {
        Key { namespace: Arc::clone(&self.namespace), name: Arc::clone(&self.view.name) }
    }

    fn uid(&self) -> &Uid {
        &self.view.uid
    }

    fn revision(&self) -> u64 {
        self.view.revision
    }

    fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }
}

/// One difference that a change made: what was there, what is there now.
#[derive(Clone, Debug)]
pub struct Step<T> {
    /// Before.
    pub old: Option<Arc<T>>,
    /// After.
    pub new: Option<Arc<T>>,
}

/// Objects by key.
#[derive(Debug)]
pub struct Store<T> {
    objects: BTreeMap<Key, Arc<T>>,
    /// The newest version seen, of any object or bookmark.
    revision: u64,
    listed: bool,
    refused: u32,
    /// How often history went back.
    rewinds: u64,
    /// History went back elsewhere: what is here counts only once it is listed again.
    is_of_the_past: bool,
}

/// After so many lists that are older than what is known, history itself went back, for example by a restored backup.
const OLDER_LISTS_AT_MOST: u32 = 8;

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { objects: BTreeMap::new(), revision: 0, listed: false, refused: 0, rewinds: 0, is_of_the_past: false }
    }
}

impl<T: Cached> Store<T> {
    /// Takes a change over and returns what it changed, in the order of keys.
    pub fn apply(&mut self, change: Change<T>) -> (Taken, Vec<Step<T>>) {
        match change {
            Change::Listed { objects, revision } => self.replace(objects, revision),
            _ if self.is_of_the_past => (Taken::Older, Vec::new()),
            Change::Applied(object) => (Taken::Yes, self.put(object).into_iter().collect()),
            Change::Deleted(object) => (Taken::Yes, self.remove(&object).into_iter().collect()),
            Change::Unreadable(key) => {
                let old = self.objects.remove(&key);
                (Taken::Yes, old.into_iter().map(|old| Step { old: Some(old), new: None }).collect())
            }
            Change::Progress(revision) => {
                self.revision = self.revision.max(revision);
                (Taken::Yes, Vec::new())
            }
        }
    }

    /// The object of this name.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Arc<T>> {
        self.objects.get(key)
    }

    /// The objects of the namespace in which `from` is the first key, in the order of their names.
    pub fn of_namespace<'a>(&'a self, from: &'a Key) -> impl Iterator<Item = (&'a Key, &'a Arc<T>)> {
        self.objects.range(from..).take_while(|(key, _)| key.namespace == from.namespace)
    }

    /// The newest version seen.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How often history went back, for example to a backup.
    #[must_use]
    pub fn rewinds(&self) -> u64 {
        self.rewinds
    }

    /// Whether history went back elsewhere and there was no list here since.
    #[must_use]
    pub fn is_of_the_past(&self) -> bool {
        self.is_of_the_past
    }

    /// History went back elsewhere: only a list is taken over from now on, whatever its version.
    pub fn await_list(&mut self) {
        self.is_of_the_past = true;
    }

    /// Whether there was a list yet.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.listed
    }

    fn replace(&mut self, objects: Vec<T>, revision: u64) -> (Taken, Vec<Step<T>>) {
        let goes_back = revision < self.revision;
        if goes_back && !self.is_of_the_past {
            self.refused = self.refused.saturating_add(1);
            if self.refused < OLDER_LISTS_AT_MOST {
                return (Taken::Older, Vec::new());
            }
            tracing::warn!(revision, known = self.revision, "the API server's history went back; starting over");
            self.rewinds = self.rewinds.saturating_add(1);
        }
        (self.refused, self.is_of_the_past) = (0, false);
        let listed: BTreeSet<Key> = objects.iter().map(T::key).collect();
        let gone: Vec<Key> = self.objects.keys().filter(|key| !listed.contains(*key)).cloned().collect();
        let mut steps: Vec<Step<T>> =
            gone.iter().map(|key| Step { old: self.objects.remove(key), new: None }).collect();
        if goes_back {
            // Lower versions are no echoes now.
            steps.extend(objects.into_iter().map(|object| self.insert(object)));
        } else {
            steps.extend(objects.into_iter().filter_map(|object| self.put(object)));
        }
        self.revision = revision;
        self.listed = true;
        (Taken::Yes, steps)
    }

    /// (SYN-006)
    fn put(&mut self, object: T) -> Option<Step<T>> {
        let key = object.key();
        self.revision = self.revision.max(object.revision());
        let old = self.objects.get(&key);
        // The same version is no news (SYN-006), an older one is an echo.
        if old.is_some_and(|old| old.uid() == object.uid() && old.revision() >= object.revision()) {
            return None;
        }
        Some(self.insert(object))
    }

    fn insert(&mut self, object: T) -> Step<T> {
        let new = Arc::new(object);
        let old = self.objects.insert(new.key(), Arc::clone(&new));
        Step { old, new: Some(new) }
    }

    fn remove(&mut self, object: &T) -> Option<Step<T>> {
        let key = object.key();
        self.revision = self.revision.max(object.revision());
        let known = self.objects.get(&key)?;
        if known.uid() != object.uid() || known.revision() > object.revision() {
            return None;
        }
        Some(Step { old: self.objects.remove(&key), new: None })
    }
}

/// The pods of one controller.
#[derive(Debug, Default)]
struct Family {
    keys: BTreeSet<Key>,
    /// How many of them have not ended.
    live: usize,
    /// How many of them have the tracking finalizer: they are not counted for good yet.
    tracked: usize,
    /// Indexes of those that succeeded, also of those that are gone again: a completed index stays completed.
    succeeded: IndexSet,
}

/// Pods, with the ways in that syncs need.
#[derive(Debug, Default)]
pub struct Pods {
    store: Store<CachedPod>,
    by_controller: BTreeMap<Uid, Family>,
    /// Pods without a controller: somebody may adopt them.
    free: BTreeSet<Key>,
}

impl Pods {
    /// Takes a change over and returns what it changed.
    pub fn apply(&mut self, change: Change<CachedPod>) -> (Taken, Vec<Step<CachedPod>>) {
        let (taken, steps) = self.store.apply(change);
        for step in &steps {
            if let Some(old) = &step.old {
                self.unindex(old);
            }
            if let Some(new) = &step.new {
                self.index(new);
            }
        }
        (taken, steps)
    }

    /// The pods of the Job, and those without a controller that its selector selects, in the order of their names.
    #[must_use]
    pub fn of(&self, job: &JobView) -> Vec<Arc<CachedPod>> {
        let owned = self.by_controller.get(&job.uid).into_iter().flat_map(|family| &family.keys);
        let from = Key { namespace: Arc::clone(&job.namespace), name: "".into() };
        let free = self.free.range(from..).take_while(|key| key.namespace == job.namespace);
        let free =
            free.filter(|key| self.store.get(key).is_some_and(|pod| job.spec.selector.matches(&pod.view.labels)));
        let keys: BTreeSet<&Key> = owned.chain(free).collect();
        keys.into_iter().filter_map(|key| self.store.get(key).cloned()).collect()
    }

    /// Whether every pod of this controller has ended and those that are to be counted are at least `wanted`, so that there is
    /// nothing to wait for. With fewer, more are being created.
    #[must_use]
    pub fn all_ended(&self, controller: &Uid, wanted: u32) -> bool {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        self.by_controller.get(controller).is_none_or(|family| family.live == 0 && family.tracked >= wanted)
    }

    /// Indexes of this controller's pods that succeeded.
    #[must_use]
    pub fn succeeded(&self, controller: &Uid) -> IndexSet {
        self.by_controller.get(controller).map(|family| family.succeeded.clone()).unwrap_or_default()
    }

    /// The pods of this controller that still have the tracking finalizer, in the order of their keys.
    #[must_use]
    pub fn tracked_of(&self, controller: &Uid) -> Vec<Key> {
        let keys = self.by_controller.get(controller).into_iter().flat_map(|family| &family.keys);
        keys.filter(|key| self.store.get(key).is_some_and(|pod| pod.view.tracked)).cloned().collect()
    }

    /// History went back elsewhere, see [`Store::await_list`].
    pub fn await_list(&mut self) {
        self.store.await_list();
    }

    /// The underlying store.
    #[must_use]
    pub fn store(&self) -> &Store<CachedPod> {
        &self.store
    }

    fn index(&mut self, pod: &CachedPod) {
        match &pod.view.owner {
            Some(owner) => {
                let family = self.by_controller.entry(Arc::clone(&owner.uid)).or_default();
                family.live = family.live.saturating_add(usize::from(!pod.view.has_ended()));
                family.tracked = family.tracked.saturating_add(usize::from(pod.view.tracked));
                family.keys.insert(pod.key());
                if let (Phase::Succeeded, Some(index)) = (pod.view.phase, pod.view.index) {
                    family.succeeded.insert(index);
                }
            }
            None => {
                self.free.insert(pod.key());
            }
        }
    }

    fn unindex(&mut self, pod: &CachedPod) {
        let key = pod.key();
        match &pod.view.owner {
            Some(owner) => {
                if let Some(family) = self.by_controller.get_mut(&owner.uid) {
                    family.live = family.live.saturating_sub(usize::from(!pod.view.has_ended()));
                    family.tracked = family.tracked.saturating_sub(usize::from(pod.view.tracked));
                    family.keys.remove(&key);
                    if family.keys.is_empty() {
                        self.by_controller.remove(&owner.uid);
                    }
                }
            }
            None => {
                self.free.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests;
