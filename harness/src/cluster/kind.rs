//! The provider whose clusters are made by kind: real nodes in containers, real kubelets, real pods.

mod agent;
pub mod config;
pub mod error;
pub mod host;
pub mod image;
mod node;
pub mod program;
mod provider;
mod ready;
pub mod remains;
pub mod runtime;
mod subject;
mod watcher;

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;

use super::access::Access;
use super::launcher::Launcher;
use super::layout::Layout;
use super::local::{Host, LocalSubject, outside};
use super::registry::Owner;
use super::{Ability, Capabilities, Casualty, Cluster, ClusterError, ClusterSpec, Component, Pods, SubjectKind};
use crate::subject::RunningSubject;
pub use error::KindError;
use node::Node;
pub use program::Program;
pub use provider::{Keeping, KindProvider};
use remains::Remains;
pub use runtime::Runtime;

/// Every node is a container with a system in it.
const NODES_MAX: u32 = 8;

/// What clusters by kind can do.
pub const CAPABILITIES: Capabilities = Capabilities {
    restarts: Ability::Has,
    gates: Ability::Has,
    emulation: Ability::Has,
    kubelets: Ability::Has,
    one_store: Ability::Has,
    nodes_max: NODES_MAX,
};

/// A cluster by kind.
pub struct KindCluster {
    spec: ClusterSpec,
    client: kube::Client,
    control_plane: Node,
    image: (String, String),
    /// A controller in the place of the built-in one is a process of ours.
    host: Arc<Host>,
    program: Program,
    casualty: watch::Receiver<Option<Casualty>>,
    watcher: tokio::task::JoinHandle<()>,
    /// Deletes the cluster when we go without having said what becomes of it.
    life: provider::Life,
}

#[async_trait]
impl Cluster for KindCluster {
    fn spec(&self) -> &ClusterSpec {
        &self.spec
    }

    fn client(&self) -> kube::Client {
        self.client.clone()
    }

    /// The image's id stands for the programs in it.
    fn binaries(&self) -> Vec<(String, String)> {
        vec![self.image.clone()]
    }

    fn site(&self) -> &Layout {
        self.host.site()
    }

    fn pods(&self) -> Pods {
        Pods::Real
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        match of {
            Component::ApiServer => Access::administrator(self.site()).text("/metrics").await,
            // kubeadm's controller manager is both, with all its controllers.
            Component::Subject if self.spec.subject != SubjectKind::BuiltIn => {
                Access::component(self.site(), of).text("/metrics").await
            }
            Component::Base | Component::Subject => {
                Ok(self.control_plane.ask(&format!("{}/metrics", subject::ADDRESS)).await?)
            }
            _ => Err(ClusterError::NoSuchComponent(of)),
        }
    }

    fn casualty(&self) -> watch::Receiver<Option<Casualty>> {
        self.casualty.clone()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        let (program, manager) = match kind {
            SubjectKind::BuiltIn => {
                return Ok(Box::new(subject::KindSubject::take_over(self.control_plane.clone()).await?));
            }
            SubjectKind::DropIn(program) => (program, None),
            SubjectKind::Beside { program, manager } => (program, Some(manager.as_str())),
        };
        let process = outside(program, manager, &self.spec, self.site());
        Ok(Box::new(LocalSubject::start(Arc::clone(&self.host), process).await?))
    }

    /// kind's own export: every node's journal, its containers' logs, and what describes them.
    async fn gather(&self) -> Result<(), ClusterError> {
        let into = self.site().logs().join("nodes").display().to_string();
        let name = &self.life.remains().cluster;
        let errand =
            self.program.errand(format!("export the logs of {name}"), &["export", "logs", &into, "--name", name]);
        Ok(errand.output().await.map(drop)?)
    }

    async fn destroy(mut self: Box<Self>) -> Result<(), ClusterError> {
        self.watcher.abort();
        self.host.end_all().await?;
        self.life.end().await
    }
}

impl Drop for KindCluster {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

/// Takes a cluster down that was kept; one that somebody uses is left alone.
///
/// # Errors
/// When it is in use, or cannot be deleted.
pub fn take_down(owner: &Owner, remains: &Remains) -> Result<(), ClusterError> {
    remains.delete()?;
    owner.remove()
}

/// The parts of the control plane that write logs in its node, in the order of their start.
pub const PARTS: [Component; 4] = [Component::Etcd, Component::ApiServer, Component::Base, Component::Scheduler];

/// The last lines that a part of a kept cluster's control plane wrote.
///
/// # Errors
/// When the node does not answer.
pub async fn log_tail(remains: &Remains, of: Component, lines: usize) -> Result<Vec<String>, ClusterError> {
    let node = Node::new(remains.control_plane(), remains.runtime, &Launcher::default());
    let script = format!(
        "id=$(crictl ps -a -q --latest --label io.kubernetes.container.name={of}); [ -z \"$id\" ] || \
         exec crictl logs --tail {lines} $id 2>&1"
    );
    let text = node.shell(format!("read the log of {of}"), &script).await?;
    Ok(text.lines().map(str::to_owned).collect())
}
