//! The provider whose components are containers of this machine, made through its runtime's socket; otherwise as [`local`].
//!
//! A container has the machine's network and the cluster's folder at its own path, so ports, certificates, logs and
//! flags are those of local processes, and everything that a local cluster can do works here, too: Linux only, for that
//! reason. Controllers that are not Kubernetes' own stay processes.
//!
//! [`local`]: super::local

mod cluster_containers;
mod container;
mod engine;
pub mod error;
mod offer;
mod remains;
mod service;

use std::sync::Arc;

use async_trait::async_trait;

use crate::binaries::Source;
use crate::cluster::Ability;
use crate::cluster::contract::{Capabilities, Cluster, ClusterError, ClusterProvider, ClusterSpec, Progress};
use crate::cluster::local::{self, LocalProvider};
use crate::cluster::machine::registry::Registry;
use crate::container_runtime::socket::Socket;
use crate::launcher::Launcher;
use engine::Engine;
pub use error::EngineError;
pub use offer::Containers;
pub use remains::ContainersLeftovers;

/// What clusters in containers can do: what local ones can.
pub const CAPABILITIES: Capabilities = Capabilities { second_instance: Ability::Lacks, ..local::CAPABILITIES };

/// Brings up clusters whose components are containers.
#[derive(Clone, Debug)]
pub struct ContainersProvider {
    local: LocalProvider,
}

impl ContainersProvider {
    /// Programs from `source`, clusters in `registry`, containers by the runtime behind `socket`.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn new(socket: &Socket, source: Source, registry: Registry) -> Result<Self, ClusterError> {
        let path = socket.path().ok_or(EngineError::NoPlace)?;
        let engine = match socket {
            Socket::At { .. } => Engine::at(&path)?,
            Socket::ToBeServed { .. } => Engine::served_at(&path, &Launcher::default())?,
        };
        Ok(Self { local: LocalProvider::new(source, registry).with_units_of(Arc::new(engine)) })
    }
}

#[async_trait]
impl ClusterProvider for ContainersProvider {
    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        self.local.provision(spec, name, progress).await
    }
}
