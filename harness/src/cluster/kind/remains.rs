//! What is written down about a kind cluster before the first container starts, so that whoever comes
//! after a crash can remove it, and nobody removes what is not ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::error::KindError;
use crate::cluster::contract::{ClusterError, ClusterSpec};
use crate::cluster::kind::config;
use crate::cluster::machine::json_file;
use crate::cluster::machine::registry::Leftover;
use crate::container_runtime::{self, Engine};

/// Clusters of ours begin so.
const PREFIX: &str = "jobsworth-";
const FILE: &str = "kind.json";

/// A cluster that somebody began to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Remains {
    /// The kind cluster's name.
    pub cluster: String,
    /// The container runtime.
    pub runtime: Engine,
    /// The `kind` that made it.
    pub kind: PathBuf,
    /// The node image.
    pub image: String,
    /// How many nodes.
    pub nodes: usize,
    /// It stays though nobody holds it.
    pub kept: bool,
}

impl Remains {
    /// The name of a kind cluster from the one that users give; 50 characters at most.
    #[must_use]
    pub fn cluster_name(name: &str) -> String {
        format!("{PREFIX}{name}")
    }

    /// Writes it into the cluster's folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ClusterError> {
        json_file::write(&folder.join(FILE), self)
    }

    /// What is written in a cluster's folder, if it is one by kind.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        let remains: Self = serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()?;
        // A file that names other clusters is not ours to act upon.
        remains.cluster.starts_with(PREFIX).then_some(remains)
    }

    /// Names of its nodes, as kind names them.
    #[must_use]
    pub fn control_plane(&self) -> String {
        format!("{}-control-plane", self.cluster)
    }

    /// Deletes the cluster, and returns when its containers are gone. Blocks.
    ///
    /// # Errors
    /// When kind or the runtime cannot do it.
    pub fn delete(&self) -> Result<(), KindError> {
        let mut last = String::new();
        // A `kind create` that was killed may leave a runtime behind that is just starting a container.
        for _ in 0..3 {
            last = self.delete_once()?;
            if self.containers()?.is_empty() {
                return Ok(());
            }
        }
        let what = format!("delete the kind cluster {}", self.cluster);
        Err(KindError::Command { what, status: "containers are still there".to_owned(), said: last })
    }

    fn delete_once(&self) -> Result<String, KindError> {
        let what = format!("delete the kind cluster {}", self.cluster);
        // A kubeconfig that is not there: the user's is never touched. kind locks it by a file beside it.
        let folder = tempfile::tempdir().map_err(|source| KindError::Spawn { what: what.clone(), source })?;
        let mut command = Command::new(&self.kind);
        command.args(["delete", "cluster", "--name", &self.cluster, "--kubeconfig"]).stdin(Stdio::null());
        command.arg(folder.path().join("kubeconfig"));
        command.envs(container_runtime::environment()).env(container_runtime::CHOICE, self.runtime.program());
        let output = command.output().map_err(|source| KindError::Spawn { what: what.clone(), source })?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(said);
        }
        Err(KindError::Command { what, status: output.status.to_string(), said })
    }

    fn containers(&self) -> Result<Vec<String>, KindError> {
        let what = format!("list the nodes of {}", self.cluster);
        let label = format!("label=io.x-k8s.kind.cluster={}", self.cluster);
        let mut command = Command::new(self.runtime.program());
        command.args(["ps", "-a", "-q", "--filter", &label]).stdin(Stdio::null());
        command.envs(container_runtime::environment());
        let output = command.output().map_err(|source| KindError::Spawn { what, source })?;
        Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect())
    }

    /// For a cluster that is about to be made.
    #[must_use]
    pub fn of(name: &str, spec: &ClusterSpec, runtime: Engine, kind: &Path, image: &str) -> Self {
        Self {
            cluster: Self::cluster_name(name),
            runtime,
            kind: kind.to_owned(),
            image: image.to_owned(),
            nodes: config::node_count(spec),
            kept: false,
        }
    }
}

/// Clusters by kind that a crash, or a user who keeps them, leaves behind.
#[derive(Clone, Copy, Debug)]
pub struct KindLeftovers;

impl Leftover for KindLeftovers {
    fn is_kept(&self, folder: &Path) -> bool {
        Remains::read(folder).is_some_and(|remains| remains.kept)
    }

    fn remove(&self, folder: &Path) -> Result<(), ClusterError> {
        Remains::read(folder).map_or(Ok(()), |remains| Ok(remains.delete()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remains(cluster: &str) -> Remains {
        Remains {
            cluster: cluster.to_owned(),
            runtime: Engine::Podman,
            kind: PathBuf::from("/bin/kind"),
            image: "jobsworth/node:v1.37.1".to_owned(),
            nodes: 1,
            kept: false,
        }
    }

    #[test]
    fn a_record_that_names_a_cluster_of_others_is_no_record() {
        let folder = tempfile::tempdir().unwrap();
        remains("production").write(folder.path()).unwrap();
        assert_eq!(Remains::read(folder.path()), None);
        remains("jobsworth-desk").write(folder.path()).unwrap();
        assert_eq!(Remains::read(folder.path()), Some(remains("jobsworth-desk")));
    }

    #[test]
    fn the_longest_name_fits_kind() {
        assert!(Remains::cluster_name(&"n".repeat(40)).len() <= 50);
    }
}
