//! The provider whose components are processes on this machine, children of this one.

mod host;
mod provider;
mod subject;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;

use super::access::Access;
use super::layout::Layout;
use super::{Casualty, Cluster, ClusterError, ClusterSpec, Component, SubjectKind};
use crate::binaries::BinarySet;
use crate::subject::RunningSubject;
pub(crate) use host::Host;
pub use provider::{CAPABILITIES, LocalProvider};
pub(crate) use subject::{LocalSubject, outside};

/// A cluster of processes of our own.
#[derive(Debug)]
pub struct LocalCluster {
    spec: ClusterSpec,
    binaries: BinarySet,
    client: ClientBox,
    host: Arc<Host>,
    /// Held as long as the cluster lives; who finds it free may clean up.
    owner: super::registry::Owner,
}

/// [`kube::Client`] says nothing about itself.
struct ClientBox(kube::Client);

impl std::fmt::Debug for ClientBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl LocalCluster {
    /// The process ids of what runs now.
    #[must_use]
    pub fn pids(&self) -> BTreeMap<Component, u32> {
        self.host.pids()
    }
}

#[async_trait]
impl Cluster for LocalCluster {
    fn spec(&self) -> &ClusterSpec {
        &self.spec
    }

    fn client(&self) -> kube::Client {
        self.client.0.clone()
    }

    fn binaries(&self) -> Vec<(String, String)> {
        self.binaries.sums()
    }

    fn site(&self) -> &Layout {
        self.host.site()
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        if !self.host.has(of) {
            return Err(ClusterError::NoSuchComponent(of));
        }
        Access::component(self.site(), of).text("/metrics").await
    }

    fn casualty(&self) -> watch::Receiver<Option<Casualty>> {
        self.host.casualty()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        let process = subject::process(kind, &self.spec, &self.binaries, self.site());
        let running = subject::LocalSubject::start(Arc::clone(&self.host), process).await?;
        self.owner.record(&self.spec, self.binaries.sums(), self.host.site(), self.host.pids())?;
        Ok(Box::new(running))
    }

    async fn destroy(self: Box<Self>) -> Result<(), ClusterError> {
        self.host.end_all().await?;
        self.owner.remove()
    }
}
