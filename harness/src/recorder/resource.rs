//! What is watched, and where the API serves it.

use jobsworth_api::Minor;
use jobsworth_oracle::Setting;
use kube::core::Request;

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Resource {
    Jobs,
    Pods,
    Events,
    Workloads(SchedulingApi),
    PodGroups(SchedulingApi),
}

/// The version of `scheduling.k8s.io` that has both Workloads and `PodGroup`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchedulingApi {
    V1alpha2,
    V1beta1,
}

impl Resource {
    /// What is watched on a control plane like this.
    pub(super) fn of(setting: &Setting) -> Vec<Self> {
        let mut all = vec![Self::Jobs, Self::Pods, Self::Events];
        // A gate that nobody knows is none of this API's.
        if setting.gates.get("GenericWorkload") == Some(&true) {
            let api = SchedulingApi::of(setting.emulated.unwrap_or_else(|| setting.kubernetes.minor_version()));
            all.extend(api.into_iter().flat_map(|api| [Self::Workloads(api), Self::PodGroups(api)]));
        }
        all
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Pods => "pods",
            Self::Events => "events",
            Self::Workloads(_) => "workloads",
            Self::PodGroups(_) => "podgroups",
        }
    }

    fn group(self) -> &'static str {
        match self {
            Self::Jobs => "apis/batch/v1",
            Self::Pods => "api/v1",
            Self::Events => "apis/events.k8s.io/v1",
            Self::Workloads(SchedulingApi::V1alpha2) | Self::PodGroups(SchedulingApi::V1alpha2) => {
                "apis/scheduling.k8s.io/v1alpha2"
            }
            Self::Workloads(SchedulingApi::V1beta1) | Self::PodGroups(SchedulingApi::V1beta1) => {
                "apis/scheduling.k8s.io/v1beta1"
            }
        }
    }

    pub(super) fn request(self, namespace: &str) -> Request {
        Request::new(format!("/{}/namespaces/{namespace}/{}", self.group(), self.name()))
    }
}

impl SchedulingApi {
    /// The one that a control plane serves which behaves as `minor`; none had both kinds before 1.36.
    fn of(minor: Minor) -> Option<Self> {
        match minor {
            before if before < Minor::new(1, 36) => None,
            alpha if alpha < Minor::new(1, 37) => Some(Self::V1alpha2),
            _ => Some(Self::V1beta1),
        }
    }
}
