//! What is known of a timeline before its first entry: the case, the control plane, whose Jobs are judged.

use jiff::Timestamp;
use jobsworth_api::{KubeVersion, Minor, Resource, well_known};
use k8s_openapi::api::batch::v1::Job;
use std::collections::BTreeMap;

/// Who reconciles which Jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// The subject is the built-in controller.
    BuiltIn,
    /// The subject stands in for the built-in controller.
    DropIn,
    /// The subject reconciles Jobs whose `spec.managedBy` has this value.
    ManagedBy(String),
}

impl Ownership {
    /// The value of `spec.managedBy` without which a Job is not the subject's.
    #[must_use]
    pub fn manager(&self) -> Option<&str> {
        match self {
            Self::ManagedBy(name) => Some(name),
            Self::BuiltIn | Self::DropIn => None,
        }
    }
}

/// Under which circumstances a timeline was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Id of the case.
    pub case: String,
    /// Namespace that was recorded.
    pub namespace: String,
    /// Wall clock of this machine at offset zero.
    pub started: Timestamp,
    /// Version of the control plane's binaries.
    pub kubernetes: KubeVersion,
    /// `--emulated-version`, if one was given.
    pub emulated: Option<Minor>,
    /// State of the Job gates at the beginning, as found by the attestation.
    pub gates: BTreeMap<String, bool>,
    /// Name of the controller under test.
    pub subject: String,
    /// The API whose objects the subject reconciles: it decides which invariants are judged.
    pub judged: Resource,
    /// Which Jobs are the subject's.
    pub ownership: Ownership,
    /// Whether others than the script and the control plane may act in the namespace: people, and their programs. So it
    /// is on a cluster that somebody uses.
    pub shared: bool,
}

impl Setting {
    /// Whether a gate is on at the beginning; [`Timeline::regimes`] knows the rest. A gate that the control plane no longer knows counts as on when it
    /// graduated and was removed, which holds for every gate that is not in the table.
    #[must_use]
    pub fn gate(&self, name: &str) -> bool {
        self.gates.get(name).copied().unwrap_or(true)
    }

    /// Whether the subject reconciles this Job, and no other controller, as things are at the beginning (MGB-001,
    /// MGB-007).
    #[must_use]
    pub fn owns(&self, job: &Job) -> bool {
        let manager = job.spec.as_ref().and_then(|spec| spec.managed_by.as_deref());
        match &self.ownership {
            Ownership::BuiltIn | Ownership::DropIn => {
                !self.gate("JobManagedBy") || manager.is_none_or(|name| name == well_known::BUILT_IN_CONTROLLER)
            }
            Ownership::ManagedBy(name) => manager == Some(name.as_str()),
        }
    }

    /// Whether this is the API whose objects the subject reconciles, in whatever version.
    #[must_use]
    pub fn is_about(&self, api: &Resource) -> bool {
        self.judged.is_kind_of(&api.api_version(), &api.kind)
    }

    /// The minor version whose API is served.
    #[must_use]
    pub fn api(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.kubernetes.minor_version())
    }
}
