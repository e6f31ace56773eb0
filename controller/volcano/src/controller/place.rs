//! Where objects are in the API.

use jobsworth_controller_runtime::key::Key;

/// A collection in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(String);

/// Group and version as a path, and the plural of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plural {
    group: &'static str,
    name: &'static str,
}

impl Place {
    /// Jobs of Volcano.
    pub const JOBS: Plural = Plural { group: "apis/batch.volcano.sh/v1alpha1", name: "jobs" };
    /// Commands.
    pub const COMMANDS: Plural = Plural { group: "apis/bus.volcano.sh/v1alpha1", name: "commands" };
    /// `PodGroup`s of Volcano.
    pub const GROUPS: Plural = Plural { group: "apis/scheduling.volcano.sh/v1beta1", name: "podgroups" };
    /// Pods.
    pub const PODS: Plural = Plural { group: "api/v1", name: "pods" };
    /// Claims.
    pub const CLAIMS: Plural = Plural { group: "api/v1", name: "persistentvolumeclaims" };

    /// The collection in the namespace of an object.
    #[must_use]
    pub fn of(key: &Key, plural: Plural) -> Self {
        Self(format!("/{}/namespaces/{}/{}", plural.group, key.namespace, plural.name))
    }

    /// The collection of a kind that plugins make; `None` for another kind.
    #[must_use]
    pub fn of_kind(key: &Key, kind: &str) -> Option<Self> {
        let (group, name) = match kind {
            "Service" => ("api/v1", "services"),
            "ConfigMap" => ("api/v1", "configmaps"),
            "Secret" => ("api/v1", "secrets"),
            "NetworkPolicy" => ("apis/networking.k8s.io/v1", "networkpolicies"),
            _ => return None,
        };
        Some(Self::of(key, Plural { group, name }))
    }

    /// Path of the collection.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0
    }

    /// Path of an object in it.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.0)
    }
}
