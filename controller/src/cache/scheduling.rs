//! Workloads and `PodGroup`s, as they came: what a user may say in them changes faster than a view of it would.

use std::collections::BTreeMap;
use std::sync::Arc;

use jobsworth_controller_runtime::feed::{self, Change, Resource, Taken};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::store::{Cached, Delta, Store};
use jobsworth_core::Uid;
use serde_json::Value;
use serde_json::value::RawValue;

/// An object with what a cache needs to know of it.
#[derive(Debug)]
pub struct Whole {
    key: Key,
    uid: Uid,
    revision: u64,
    /// The object.
    pub object: Value,
}

/// A Workload.
#[derive(Debug)]
pub struct CachedWorkload(pub Whole);

/// A `PodGroup`.
#[derive(Debug)]
pub struct CachedGroup(pub Whole);

/// Both kinds.
#[derive(Debug, Default)]
pub struct Scheduling {
    workloads: Store<CachedWorkload>,
    groups: Store<CachedGroup>,
}

impl Scheduling {
    /// Takes over what the watch of Workloads says.
    pub fn workload_change(&mut self, change: Change<CachedWorkload>) -> (Taken, Vec<Delta<CachedWorkload>>) {
        self.workloads.apply(change)
    }

    /// Takes over what the watch of `PodGroup`s says.
    pub fn group_change(&mut self, change: Change<CachedGroup>) -> (Taken, Vec<Delta<CachedGroup>>) {
        self.groups.apply(change)
    }

    /// Whether there was a list of both.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.workloads.is_filled() && self.groups.is_filled()
    }

    /// The Workloads and the `PodGroup`s of a namespace, in the order of their names.
    #[must_use]
    pub fn of_namespace(&self, namespace: &Arc<str>) -> (Vec<Arc<CachedWorkload>>, Vec<Arc<CachedGroup>>) {
        let from = Key { namespace: Arc::clone(namespace), name: "".into() };
        let workloads = self.workloads.of_namespace(&from).map(|(_, workload)| Arc::clone(workload)).collect();
        let groups = self.groups.of_namespace(&from).map(|(_, group)| Arc::clone(group)).collect();
        (workloads, groups)
    }
}

impl Whole {
    fn decode(json: &RawValue) -> Result<Self, String> {
        let mut object: Value = serde_json::from_str(json.get()).map_err(|error| error.to_string())?;
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        let (namespace, name, uid) = (text("namespace"), text("name"), text("uid"));
        if name.is_empty() || uid.is_empty() {
            return Err("it has no name or no UID".to_owned());
        }
        let revision = feed::revision(&text("resourceVersion"));
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        Ok(Self { key: Key { namespace: namespace.into(), name: name.into() }, uid: uid.into(), revision, object })
    }

    /// The Job that controls it, by its name.
    #[must_use]
    pub fn job(&self) -> Option<Key> {
        let owners = self.object["metadata"]["ownerReferences"].as_array();
        let mut owners = owners.into_iter().flatten();
        let owner = owners.find(|owner| owner["controller"] == true && owner["kind"] == "Job")?;
        Some(Key { namespace: Arc::clone(&self.key.namespace), name: owner["name"].as_str()?.into() })
    }

    /// `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> &Arc<str> {
        &self.key.namespace
    }
}

macro_rules! cached {
    ($object:ident, $plural:literal) => {
        impl Cached for $object {
            fn key(&self) -> Key {
                self.0.key.clone()
            }

            fn uid(&self) -> &Uid {
                &self.0.uid
            }

            fn revision(&self) -> u64 {
                self.0.revision
            }

            fn complaint(&self) -> Option<&str> {
                None
            }
        }

        impl Resource for $object {
            const COLLECTION: &'static str = concat!("/apis/scheduling.k8s.io/v1beta1/", $plural);
            const NAME: &'static str = $plural;

            fn decode(json: &RawValue) -> Result<Self, String> {
                Whole::decode(json).map(Self)
            }
        }
    };
}
cached!(CachedWorkload, "workloads");
cached!(CachedGroup, "podgroups");

/// What was written just now and no watch has shown yet lies over what the caches know, by UID.
#[must_use]
pub fn overlaid<'a>(known: impl Iterator<Item = &'a Value>, written: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let uid = |object: &'a Value| object["metadata"]["uid"].as_str().unwrap_or_default();
    let mut all: BTreeMap<&str, &Value> = known.map(|object| (uid(object), object)).collect();
    all.extend(written.iter().filter(|object| object["kind"] == kind).map(|object| (uid(object), object)));
    all.into_values().collect()
}
