//! What a cluster can be asked through the files in its folder: clients, logs.

use std::path::Path;

use super::access::Access;
use super::process;
use crate::cluster::contract::{Cluster, ClusterError, Component};

impl dyn Cluster + '_ {
    /// The cluster's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.site().folder()
    }

    /// A client with the administrator's rights that the audit log lists under `agent`, and that
    /// repeats no request by itself, so that every answer is seen.
    ///
    /// # Errors
    /// When the certificates in the cluster's folder cannot be read.
    pub fn measured_client(&self, agent: &str) -> Result<kube::Client, ClusterError> {
        Access::administrator(self.site()).agent(agent).once().client()
    }

    /// A client that acts as `user` (impersonation by the administrator).
    ///
    /// # Errors
    /// When the certificates in the cluster's folder cannot be read.
    pub fn client_as(&self, user: &str, agent: &str) -> Result<kube::Client, ClusterError> {
        Access::administrator(self.site()).agent(agent).acting_as(user).once().client()
    }

    /// The last `lines` lines that a component wrote; empty when it wrote nothing.
    #[must_use]
    pub fn log_tail(&self, of: Component, lines: usize) -> Vec<String> {
        process::last_lines(&self.site().log(of), lines)
    }

    /// Copies the components' logs and the audit log to `into`, never keys.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn collect(&self, into: &Path) -> Result<(), ClusterError> {
        self.site().collect(into)
    }
}
