//! The provider whose clusters outlive the run: a holder of their own keeps them.

use crate::cluster::contract::{
    Capabilities, Casualty, Change, ChangeReport, Cluster, ClusterError, ClusterProvider, ClusterSpec, Component,
    Progress, RunningSubject, SubjectKind, layout,
};
use crate::cluster::long_lived::attached::JoinedCluster;
use crate::cluster::long_lived::daemon::{self, JoinOptions};
use async_trait::async_trait;
use tokio::sync::watch;

/// Brings up clusters of local processes that stay until they are taken down.
pub struct HeldProvider {
    options: JoinOptions,
    can: Capabilities,
}

impl HeldProvider {
    /// Clusters that are started as `options` say, and can do what `can` says.
    #[must_use]
    pub fn new(options: JoinOptions, can: Capabilities) -> Self {
        Self { options, can }
    }
}

#[async_trait]
impl ClusterProvider for HeldProvider {
    fn name(&self) -> &'static str {
        "local"
    }

    fn capabilities(&self) -> Capabilities {
        self.can
    }

    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        let joined = daemon::join_or_start(name, spec, &self.options, progress).await?;
        Ok(Box::new(Held { joined, name: name.to_owned(), options: self.options.clone() }))
    }
}

/// A joined cluster that is taken down when it is destroyed, and stays when it is dropped.
struct Held {
    joined: JoinedCluster,
    name: String,
    options: JoinOptions,
}

#[async_trait]
impl Cluster for Held {
    fn spec(&self) -> ClusterSpec {
        self.joined.spec()
    }

    fn client(&self) -> kube::Client {
        self.joined.client()
    }

    fn binaries(&self) -> Vec<(String, String)> {
        self.joined.binaries()
    }

    fn site(&self) -> &layout::Layout {
        self.joined.site()
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        self.joined.metrics(of).await
    }

    fn casualty(&self) -> watch::Receiver<Option<Casualty>> {
        self.joined.casualty()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        self.joined.start_subject(kind).await
    }

    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        self.joined.change(change).await
    }

    async fn destroy(self: Box<Self>) -> Result<(), ClusterError> {
        let Self { joined, name, options } = *self;
        drop(joined);
        daemon::take_down(&options.registry, &name).await
    }
}
