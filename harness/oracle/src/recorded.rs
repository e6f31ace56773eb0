//! What can be recorded: kinds of objects, each with the typed view that is made of its JSON when it arrives.
//!
//! A kind more is one `impl Recorded` and one line in [`KINDS`]: the recorder watches it where it is served, a timeline
//! keeps it, and [`World::all`](crate::World::all) and [`Timeline::histories`](crate::Timeline::histories) have it.

mod beside;
mod scheduling;
mod secret;
mod sighting;
pub mod volcano;

pub use scheduling::{PodGroup, Workload};
pub use secret::Secret;
pub use sighting::{Object, Seen, Sighting};

use crate::setting::Setting;
use jobsworth_api::Resource;
use k8s_openapi::{
    api::{
        batch::v1::Job,
        core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Service},
        networking::v1::NetworkPolicy,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

/// A kind of object that is recorded; `Self` is the typed view of one.
pub trait Recorded: DeserializeOwned + fmt::Debug + Send + Sync + 'static {
    /// What it is. Objects of other versions of the group are read as this kind, too.
    const RESOURCE: Resource;
    /// How a timeline calls it.
    const LINE: Line = Line::Object;
    /// Where its objects are.
    const SCOPE: Scope = Scope::Namespace;

    /// Name, UID, owners.
    fn metadata(&self) -> &ObjectMeta;

    /// Where a control plane like this serves it, if it does.
    #[must_use]
    fn served(_: &Setting) -> Option<Resource> {
        Some(Self::RESOURCE)
    }

    /// The object as it is kept: as it was received, but for what must not leave the cluster.
    #[must_use]
    fn kept(object: Value) -> Value {
        object
    }
}

/// Where objects of a kind are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the case's namespace.
    Namespace,
    /// In no namespace: those of other cases are seen, too.
    Cluster,
}

/// What a line of a timeline says that its object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A `batch/v1` Job.
    Job,
    /// A pod.
    Pod,
    /// The object says so itself, in `apiVersion` and `kind`.
    Object,
}

/// Every kind that is recorded; the order between kinds is told by the first, so its store must be that of the others.
/// This list is the only registry.
pub static KINDS: [Kind; 13] = [
    Kind::of::<Job>(),
    Kind::of::<Pod>(),
    Kind::of::<Workload>(),
    Kind::of::<PodGroup>(),
    Kind::of::<volcano::Job>(),
    Kind::of::<volcano::PodGroup>(),
    Kind::of::<volcano::Command>(),
    Kind::of::<volcano::Queue>(),
    Kind::of::<Service>(),
    Kind::of::<ConfigMap>(),
    Kind::of::<Secret>(),
    Kind::of::<PersistentVolumeClaim>(),
    Kind::of::<NetworkPolicy>(),
];

/// One of the kinds that are recorded.
#[derive(Debug)]
pub struct Kind {
    resource: Resource,
    line: Line,
    scope: Scope,
    served: fn(&Setting) -> Option<Resource>,
    kept: fn(Value) -> Value,
    view: fn(Value) -> Result<Sighting, serde_json::Error>,
}

impl Kind {
    const fn of<K: Recorded>() -> Self {
        Self {
            resource: K::RESOURCE,
            line: K::LINE,
            scope: K::SCOPE,
            served: K::served,
            kept: K::kept,
            view: view::<K>,
        }
    }

    /// Where its objects are.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        self.scope
    }

    /// Where a control plane like this serves it, if it does.
    #[must_use]
    pub fn served(&self, setting: &Setting) -> Option<Resource> {
        (self.served)(setting)
    }

    /// An object as it arrives from where it is served. Items of a list do not say what they are; where a timeline needs
    /// that, it is put in.
    ///
    /// # Errors
    /// When the object does not have the shape of its kind.
    pub fn arrived(&self, mut object: Value, served: &Resource) -> Result<Sighting, serde_json::Error> {
        if self.line == Line::Object && object.is_object() {
            object["kind"] = served.kind.as_ref().into();
            object["apiVersion"] = served.api_version().into();
        }
        (self.view)((self.kept)(object))
    }

    /// The kind of an object that says itself what it is.
    pub(crate) fn told_by(object: &Value) -> Option<&'static Self> {
        let kind = object.get("kind")?.as_str()?;
        KINDS.iter().find(|known| match object.get("apiVersion").and_then(Value::as_str) {
            Some(version) => known.resource.is_kind_of(version, kind),
            // Older timelines have objects without it: Workloads and PodGroups, there were no others.
            None => known.resource.kind == kind && known.resource.group == Resource::WORKLOADS.group,
        })
    }

    pub(crate) fn view(&self, object: Value) -> Result<Sighting, serde_json::Error> {
        (self.view)(object)
    }
}

fn view<K: Recorded>(object: Value) -> Result<Sighting, serde_json::Error> {
    Seen::<K>::new(object).map(Sighting::from)
}

impl Recorded for Job {
    const RESOURCE: Resource = Resource::JOBS;
    const LINE: Line = Line::Job;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl Recorded for Pod {
    const RESOURCE: Resource = Resource::PODS;
    const LINE: Line = Line::Pod;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

#[cfg(test)]
mod tests;
