//! The provider whose clusters outlive the run: a daemon of their own keeps them.

use crate::binaries::Source;
use crate::cluster::contract::{
    Change, ChangeReport, Cluster, ClusterError, ClusterProvider, ClusterSpec, Component, Progress, RunningSubject,
    SubjectKind, UnexpectedExit, layout,
};
use crate::cluster::long_lived::attached::AttachedCluster;
use crate::cluster::long_lived::daemon::{self, AttachOptions, Hold};
use crate::cluster::machine::registry::Registry;
use crate::launcher::Launcher;
use async_trait::async_trait;
use tokio::sync::watch;

/// Brings up clusters of local processes that stay until they are taken down.
pub struct KeptProvider {
    options: AttachOptions,
}

impl KeptProvider {
    /// Clusters that are started as `options` say.
    #[must_use]
    pub fn new(options: AttachOptions) -> Self {
        Self { options }
    }
}

/// Has clusters with programs from `source` held until they are taken down, by our own executable.
#[must_use]
pub fn holder(source: Source, registry: Registry) -> Box<dyn ClusterProvider> {
    let options = AttachOptions { registry, source, launcher: Launcher::default(), hold: Hold::UntilDown };
    Box::new(KeptProvider::new(options))
}

#[async_trait]
impl ClusterProvider for KeptProvider {
    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        let attached = daemon::attach_or_start(name, spec, &self.options, progress).await?;
        Ok(Box::new(Kept { attached, name: name.to_owned(), options: self.options.clone() }))
    }
}

/// An attached cluster that is taken down when it is destroyed, and stays when it is dropped.
struct Kept {
    attached: AttachedCluster,
    name: String,
    options: AttachOptions,
}

#[async_trait]
impl Cluster for Kept {
    fn spec(&self) -> ClusterSpec {
        self.attached.spec()
    }

    fn client(&self) -> kube::Client {
        self.attached.client()
    }

    fn binaries(&self) -> Vec<(String, String)> {
        self.attached.binaries()
    }

    fn site(&self) -> &layout::Layout {
        self.attached.site()
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        self.attached.metrics(of).await
    }

    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.attached.unexpected_exit()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        self.attached.start_subject(kind).await
    }

    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        self.attached.change(change).await
    }

    async fn destroy(self: Box<Self>) -> Result<(), ClusterError> {
        let Self { attached, name, options } = *self;
        drop(attached);
        daemon::take_down(&options.registry, &name).await
    }
}
