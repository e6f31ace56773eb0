//! What a cluster should be like: versions, gates, which components, and whose Job controller.

use std::collections::BTreeMap;

use jobsworth_api::{KubeVersion, Minor};
use serde::{Deserialize, Serialize};

use super::{ClusterError, Component, SubjectKind};

/// The nodes of a cluster if nobody asks for another number.
pub const DEFAULT_NODES: u32 = 3;

/// What a cluster should be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSpec {
    /// The version of the binaries.
    pub version: KubeVersion,
    /// The version of everything behind the API server, if it is another.
    pub managers: Option<KubeVersion>,
    /// The version to which it may be changed: its binaries are made ready, too.
    pub other: Option<KubeVersion>,
    /// The version they pretend to be, if another.
    pub emulated: Option<Minor>,
    /// Feature gates that differ from their defaults, or should be named.
    pub gates: BTreeMap<String, bool>,
    /// Whether kube-scheduler runs.
    pub scheduler: bool,
    /// Whether kwok plays nodes and pods; without it a pod driver does.
    pub kwok: bool,
    /// Whose Job controller.
    pub subject: SubjectKind,
    /// How many nodes.
    pub nodes: u32,
    /// Admission plugins of the API server besides those that are on by default.
    pub admission: Vec<String>,
    /// What the API server writes into its audit log.
    pub audit: Audit,
    /// How often the subject may call the API server.
    pub rate: Rate,
}

/// What the API server writes into its audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audit {
    /// Every request, and what was written where a controller writes.
    #[default]
    Evidence,
    /// One line for each answered request, without bodies: made for counting.
    Counting,
}

/// A token bucket of client requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Requests per second.
    pub qps: u32,
    /// Requests at once after a quiet time.
    pub burst: u32,
}

impl Default for Rate {
    /// Decision: 100 and 100 instead of 20 and 30. Cases run side by side in one cluster and must not
    /// make each other slow through the client's token bucket; KEP-3998's and clusterloader2's clusters
    /// use this figure too.
    fn default() -> Self {
        Self { qps: 100, burst: 100 }
    }
}

impl ClusterSpec {
    /// A cluster of this version with defaults for everything else: no scheduler, no kwok, the
    /// built-in Job controller.
    #[must_use]
    pub fn of(version: KubeVersion) -> Self {
        Self {
            version,
            managers: None,
            other: None,
            emulated: None,
            gates: BTreeMap::new(),
            scheduler: false,
            kwok: false,
            subject: SubjectKind::BuiltIn,
            nodes: DEFAULT_NODES,
            admission: Vec::new(),
            audit: Audit::default(),
            rate: Rate::default(),
        }
    }

    /// The version of a component's binary.
    #[must_use]
    pub fn version_of(&self, component: Component) -> KubeVersion {
        match component {
            Component::ApiServer => self.version,
            _ => self.managers.unwrap_or(self.version),
        }
    }

    /// The minor version whose behaviour the cluster shows.
    #[must_use]
    pub fn behaves_as(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.version.minor_version())
    }
}

/// The written form of a [`ClusterSpec`], for records and for the holder's command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpecText {
    kubernetes: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    managers: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    emulated: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    gates: BTreeMap<String, bool>,
    #[serde(default)]
    scheduler: bool,
    #[serde(default)]
    kwok: bool,
    #[serde(default)]
    subject: SubjectKind,
    nodes: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    admission: Vec<String>,
    #[serde(default)]
    audit: Audit,
    #[serde(default)]
    rate: Rate,
}

impl From<&ClusterSpec> for SpecText {
    fn from(spec: &ClusterSpec) -> Self {
        Self {
            kubernetes: spec.version.to_string(),
            managers: spec.managers.map(|version| version.to_string()),
            other: spec.other.map(|version| version.to_string()),
            emulated: spec.emulated.map(|minor| minor.to_string()),
            gates: spec.gates.clone(),
            scheduler: spec.scheduler,
            kwok: spec.kwok,
            subject: spec.subject.clone(),
            nodes: spec.nodes,
            admission: spec.admission.clone(),
            audit: spec.audit,
            rate: spec.rate,
        }
    }
}

impl TryFrom<SpecText> for ClusterSpec {
    type Error = ClusterError;

    fn try_from(text: SpecText) -> Result<Self, ClusterError> {
        let unreadable = |why: jobsworth_api::kube_version::VersionError| ClusterError::Unreadable {
            what: "a cluster's description".to_owned(),
            why: why.to_string(),
        };
        Ok(Self {
            version: text.kubernetes.parse().map_err(unreadable)?,
            managers: text.managers.map(|version| version.parse().map_err(unreadable)).transpose()?,
            other: text.other.map(|version| version.parse().map_err(unreadable)).transpose()?,
            emulated: text.emulated.map(|minor| minor.parse().map_err(unreadable)).transpose()?,
            gates: text.gates,
            scheduler: text.scheduler,
            kwok: text.kwok,
            subject: text.subject,
            nodes: text.nodes,
            admission: text.admission,
            audit: text.audit,
            rate: text.rate,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_survives_being_written_down() {
        let mut spec = ClusterSpec::of(KubeVersion::new(1, 35, 4));
        spec.emulated = Some(Minor::new(1, 32));
        spec.managers = Some(KubeVersion::new(1, 34, 4));
        spec.other = Some(KubeVersion::new(1, 37, 1));
        spec.gates.insert("JobSuccessPolicy".to_owned(), false);
        spec.audit = Audit::Counting;
        spec.rate = Rate { qps: 50, burst: 60 };
        let text = serde_json::to_string(&SpecText::from(&spec)).unwrap();
        let read: SpecText = serde_json::from_str(&text).unwrap();
        assert_eq!(ClusterSpec::try_from(read).unwrap(), spec);
    }
}
