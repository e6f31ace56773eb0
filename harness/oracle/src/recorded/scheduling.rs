//! What a Job controller keeps for the scheduler: Workloads and `PodGroup`s (KEP-5547).

use super::Recorded;
use crate::setting::Setting;
use jobsworth_api::{Minor, Resource};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

/// A Workload; two versions of its API differ in the rest, which is in [`Seen::raw`](super::Seen::raw).
#[derive(Clone, Debug, Deserialize)]
pub struct Workload {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
}

/// A `PodGroup`; two versions of its API differ in the rest, which is in [`Seen::raw`](super::Seen::raw).
#[derive(Clone, Debug, Deserialize)]
pub struct PodGroup {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
}

impl Recorded for Workload {
    const RESOURCE: Resource = Resource::WORKLOADS;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn served(setting: &Setting) -> Option<Resource> {
        version(setting).map(|version| Self::RESOURCE.in_version(version))
    }
}

impl Recorded for PodGroup {
    const RESOURCE: Resource = Resource::POD_GROUPS;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn served(setting: &Setting) -> Option<Resource> {
        version(setting).map(|version| Self::RESOURCE.in_version(version))
    }
}

/// The version of `scheduling.k8s.io` that has both kinds; none had before 1.36.
fn version(setting: &Setting) -> Option<&'static str> {
    // A gate that nobody knows is none of this API's.
    if setting.gates.get("GenericWorkload") != Some(&true) {
        return None;
    }
    match setting.api() {
        before if before < Minor::new(1, 36) => None,
        alpha if alpha < Minor::new(1, 37) => Some("v1alpha2"),
        _ => Some("v1beta1"),
    }
}
