//! What is watched, and what becomes of it in the timeline.

use jobsworth_api::{Minor, Resource};
use jobsworth_oracle::Setting;
use kube::core::Request;

/// A resource that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    /// Where it is served.
    pub(super) resource: Resource,
    /// What is written down of it.
    pub(super) kept: Kept,
}

/// What is written down of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Every version, as a Job.
    Job,
    /// Every version, as a pod.
    Pod,
    /// Every version.
    Object,
    /// That it was there: Events.
    Notice,
}

impl Watched {
    /// What is watched on a control plane like this.
    pub(super) fn of(setting: &Setting) -> Vec<Self> {
        let of = |resource, kept| Self { resource, kept };
        let mut all =
            vec![of(Resource::JOBS, Kept::Job), of(Resource::PODS, Kept::Pod), of(Resource::EVENTS, Kept::Notice)];
        // A gate that nobody knows is none of this API's.
        if setting.gates.get("GenericWorkload") == Some(&true) {
            let scheduling = [Resource::WORKLOADS, Resource::POD_GROUPS];
            let version = scheduling_version(setting.api());
            all.extend(
                version.into_iter().flat_map(|version| {
                    scheduling.clone().map(|resource| of(resource.in_version(version), Kept::Object))
                }),
            );
        }
        all
    }

    /// What it is called in timelines and messages.
    pub(super) fn name(&self) -> String {
        self.resource.name()
    }

    pub(super) fn request(&self, namespace: &str) -> Request {
        Request::new(self.resource.list_path(namespace))
    }
}

/// The version of `scheduling.k8s.io` with both Workloads and `PodGroup`s that a control plane serves which behaves as
/// `minor`; none had both kinds before 1.36.
fn scheduling_version(minor: Minor) -> Option<&'static str> {
    match minor {
        before if before < Minor::new(1, 36) => None,
        alpha if alpha < Minor::new(1, 37) => Some("v1alpha2"),
        _ => Some("v1beta1"),
    }
}
