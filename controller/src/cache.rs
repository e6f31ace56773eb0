//! Jobs and pods as they are kept: what decisions look at, and the ways in that syncs need.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use jobsworth_api::IndexSet;
use jobsworth_controller_runtime::feed::{Change, Taken};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::store::{Cached, Delta, Store};
use jobsworth_core::pod::Phase;
use jobsworth_core::{JobView, PodView, Uid};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::value::RawValue;

mod decode;
pub mod scheduling;

/// A Job as decisions see it, and what calls for it need. A parsed spec is many times as large as its text, and there may be tens of
/// thousands of Jobs.
#[derive(Debug)]
pub struct CachedJob {
    /// `metadata` without managed fields: it is written back with each status.
    pub metadata: ObjectMeta,
    /// What decisions look at.
    pub view: JobView,
    /// `spec` as it came.
    spec: Box<RawValue>,
    /// Which part of it is the template: each pod is made from that, and before it there may be policies of 64 KiB.
    template: Range<usize>,
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
    pub fn apply(&mut self, change: Change<CachedPod>) -> (Taken, Vec<Delta<CachedPod>>) {
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
                family.live = family.live.saturating_add(usize::from(!pod.view.is_terminal()));
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
                    family.live = family.live.saturating_sub(usize::from(!pod.view.is_terminal()));
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
