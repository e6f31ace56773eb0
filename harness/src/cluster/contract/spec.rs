//! What a cluster should be like: versions, gates, which components, and whose Job controller.

use std::collections::BTreeMap;
use std::fmt;

use jobsworth_api::{KubeVersion, Minor};
use serde::{Deserialize, Serialize};

use super::{Component, SubjectKind};

/// The nodes of a cluster if nobody asks for another number.
pub const DEFAULT_NODES: u32 = 3;

/// What a cluster should be like; so it stands in records and on the holder's command line, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClusterSpec {
    /// The version of the binaries.
    #[serde(rename = "kubernetes")]
    pub version: KubeVersion,
    /// The version of everything behind the API server, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub managers: Option<KubeVersion>,
    /// The version to which it may be changed: its binaries are made ready, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<KubeVersion>,
    /// The version they pretend to be, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulated: Option<Minor>,
    /// Feature gates that differ from their defaults, or should be named.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gates: BTreeMap<String, bool>,
    /// Whether kube-scheduler runs.
    #[serde(default)]
    pub scheduler: bool,
    /// Whether kwok plays nodes and pods; without it a pod driver does.
    #[serde(default)]
    pub kwok: bool,
    /// Whose Job controller.
    #[serde(default)]
    pub subject: SubjectKind,
    /// How many nodes.
    pub nodes: u32,
    /// Admission plugins of the API server besides those that are on by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub admission: Vec<String>,
    /// What the API server writes into its audit log.
    #[serde(default)]
    pub audit: Audit,
    /// How often the subject may call the API server.
    #[serde(default)]
    pub rate: Rate,
    /// How many Jobs the built-in controller works on at the same time, if not as many as by its own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// How the subject's requests get to the API server.
    #[serde(default, skip_serializing_if = "Route::is_direct")]
    pub route: Route,
    /// Whether the subject runs twice, and elects a leader; each instance is behind a proxy of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second_instance: bool,
}

/// How the subject's requests get to the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Route {
    /// Straight.
    #[default]
    Direct,
    /// Through a proxy in the process that made the cluster: requests are seen, and can be interfered with.
    Proxied,
}

impl Route {
    /// Whether nothing lies between.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        *self == Self::Direct
    }
}

/// What the API server writes into its audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audit {
    /// Every request, and what was written where a controller writes.
    #[default]
    Evidence,
    /// One line for each answered request, without bodies: made for counting. What components take is measured there, too, so they
    /// run as people run them.
    Counting,
}

/// A token bucket of client requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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

impl Rate {
    /// None worth the name: more than any API server of one machine does. Controllers take a number, and 0 means their default to some.
    pub const OFF: Self = Self { qps: 10_000, burst: 10_000 };

    /// Whether it holds nobody back.
    #[must_use]
    pub fn is_off(self) -> bool {
        self.qps >= Self::OFF.qps
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_off() {
            return to.write_str("no budget (QPS off)");
        }
        write!(to, "{} QPS, burst {}", self.qps, self.burst)
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
            workers: None,
            route: Route::default(),
            second_instance: false,
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

    /// The minor version whose defaults of feature gates a controller has here.
    #[must_use]
    pub fn defaults_of(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.version_of(Component::Subject).minor_version())
    }

    /// The minor version whose behaviour the cluster shows.
    #[must_use]
    pub fn behaves_as(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.version.minor_version())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that can be said, as records of kept clusters have it.
    const WRITTEN: &str = r#"{"kubernetes":"1.35.4","managers":"1.34.4","other":"1.37.1","emulated":"1.32","gates":{"JobSuccessPolicy":false},"scheduler":true,"kwok":false,"subject":"builtIn","nodes":3,"admission":["PodNodeSelector"],"audit":"counting","rate":{"qps":50,"burst":60}}"#;

    fn spec() -> ClusterSpec {
        ClusterSpec {
            emulated: Some(Minor::new(1, 32)),
            managers: Some(KubeVersion::new(1, 34, 4)),
            other: Some(KubeVersion::new(1, 37, 1)),
            gates: [("JobSuccessPolicy".to_owned(), false)].into(),
            scheduler: true,
            admission: vec!["PodNodeSelector".to_owned()],
            audit: Audit::Counting,
            rate: Rate { qps: 50, burst: 60 },
            ..ClusterSpec::of(KubeVersion::new(1, 35, 4))
        }
    }

    #[test]
    fn a_spec_is_written_as_it_always_was() {
        assert_eq!(serde_json::to_string(&spec()).unwrap(), WRITTEN);
        assert_eq!(serde_json::from_str::<ClusterSpec>(WRITTEN).unwrap(), spec());
    }

    #[test]
    fn what_an_old_record_does_not_say_is_as_by_default() {
        let read: ClusterSpec = serde_json::from_str(r#"{"kubernetes": "1.36.4", "nodes": 3}"#).unwrap();
        assert_eq!(read, ClusterSpec::of(KubeVersion::new(1, 36, 4)));
    }
}
