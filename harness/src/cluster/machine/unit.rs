//! What a component runs in: a process of ours, or whatever else a provider runs components in.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;

use super::process::{Process, Trust};
use super::process_spec::ProcessSpec;
use crate::binaries::BinarySet;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, UnexpectedExit};

/// Something that was started for a component.
#[async_trait]
pub(crate) trait Unit: Debug + Send + Sync {
    /// See [`Process::ready`].
    async fn ready(&self, spec: &ProcessSpec, site: &Layout) -> Result<(), ClusterError>;

    /// See [`Process::trust`].
    fn trust(&self);

    /// See [`Process::kill`].
    async fn kill(&self) -> Result<(), ClusterError>;

    /// See [`Process::stop`].
    async fn stop(&self) -> Result<(), ClusterError>;

    /// See [`Process::pause`].
    async fn pause(&self) -> Result<(), ClusterError>;

    /// See [`Process::resume`].
    async fn resume(&self) -> Result<(), ClusterError>;

    /// Whether it is still there.
    fn runs(&self) -> bool;

    /// The process, if it is one of ours.
    fn process(&self) -> Option<&Process> {
        None
    }
}

#[async_trait]
impl Unit for Process {
    async fn ready(&self, spec: &ProcessSpec, site: &Layout) -> Result<(), ClusterError> {
        Process::ready(self, spec, site).await
    }

    fn trust(&self) {
        Process::trust(self);
    }

    async fn kill(&self) -> Result<(), ClusterError> {
        Process::kill(self).await
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        Process::stop(self).await
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        Process::pause(self)
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        Process::resume(self)
    }

    fn runs(&self) -> bool {
        Process::runs(self)
    }

    fn process(&self) -> Option<&Process> {
        Some(self)
    }
}

/// Runs components of one cluster in something else than processes of ours.
#[async_trait]
pub(crate) trait ClusterUnits: Debug + Send + Sync {
    /// Makes ready whatever is needed to start these programs.
    async fn prepare(&self, programs: &BinarySet) -> Result<(), ClusterError>;

    /// Whether this one is started here; any other is a process of ours.
    fn has(&self, spec: &ProcessSpec) -> bool;

    /// Starts it and returns when it runs, though not when it is ready. If it ends unasked, `unexpected_exit` says so.
    async fn start(
        &self,
        spec: &ProcessSpec,
        log: &Path,
        trust: Trust,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    ) -> Result<Arc<dyn Unit>, ClusterError>;

    /// Removes all that was started and lets nothing else start. Blocks.
    fn dismiss(&self) -> Result<(), ClusterError>;
}

/// Where clusters get their [`ClusterUnits`] from.
pub(crate) trait UnitSource: Debug + Send + Sync {
    /// For the cluster of this name in this folder; what may be left of it is on record there before anything starts.
    fn for_cluster(self: Arc<Self>, name: &str, folder: &Path) -> Result<Box<dyn ClusterUnits>, ClusterError>;
}
