//! The provider whose components are containers of this machine, made by testcontainers; otherwise as [`local`].
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

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use async_trait::async_trait;

use crate::binaries::Source;
use crate::cluster::contract::{Capabilities, Cluster, ClusterError, ClusterProvider, ClusterSpec, Progress};
use crate::cluster::local::{self, LocalProvider};
use crate::cluster::machine::registry::Registry;
use crate::container_runtime::socket::{self, Socket};
use crate::launcher::Launcher;
use engine::Engine;
pub use error::EngineError;
pub use offer::Containers;
pub use remains::ContainersLeftovers;

/// What clusters in containers can do: what local ones can.
pub const CAPABILITIES: Capabilities = local::CAPABILITIES;

/// testcontainers learns where the runtime is from the environment, and only there, so this becomes the same program
/// again with the variable set, if it has to be. Call it before anything was begun; what was found comes back.
///
/// # Errors
/// When no runtime can be reached, or the program cannot be started again.
pub fn tell_testcontainers() -> Result<Socket, EngineError> {
    let socket = Socket::find()?;
    let path = socket.path().ok_or_else(EngineError::no_cache)?;
    if is_told(&path) {
        return Ok(socket);
    }
    let mut arguments = std::env::args_os();
    let mut again = Command::new("/proc/self/exe");
    again.arg0(arguments.next().unwrap_or_default()).args(arguments);
    let error = again.env(socket::VARIABLE, socket::address_of(&path)).exec();
    Err(EngineError::Unnamed(error.to_string()))
}

/// Whether testcontainers will look there.
fn is_told(path: &Path) -> bool {
    socket::named().map_or(path == Path::new(socket::DOCKER), |named| named == socket::address_of(path))
}

/// Brings up clusters whose components are containers.
#[derive(Clone, Debug)]
pub struct ContainersProvider {
    local: LocalProvider,
}

impl ContainersProvider {
    /// Programs from `source`, clusters in `registry`, containers by the runtime behind `socket`.
    ///
    /// # Errors
    /// When it does not answer, or testcontainers was not told where (see [`tell_testcontainers`]).
    pub fn new(socket: &Socket, source: Source, registry: Registry) -> Result<Self, ClusterError> {
        let path = socket.path().ok_or_else(EngineError::no_cache)?;
        if !is_told(&path) {
            return Err(
                EngineError::Unnamed(format!("set {} to {}", socket::VARIABLE, socket::address_of(&path))).into()
            );
        }
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
