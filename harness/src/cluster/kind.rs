//! The provider whose clusters are made by kind: real nodes in containers, real kubelets, real pods.

mod agent;
mod change;
pub mod config;
pub mod error;
pub mod host;
pub mod image;
mod limits;
mod manifest;
mod node;
mod offer;
pub mod program;
pub mod program_image;
mod provider;
mod ready;
pub mod remains;
mod runtime;
mod subject;
mod subject_image;
mod watcher;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::watch;

use crate::binaries::DEFAULT_VERSION;
use crate::cluster::contract::change::{Change, ChangeReport};
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{
    Ability, Capabilities, Cluster, ClusterError, ClusterSpec, Component, DeployedController, Pods, Progress, Proxied,
    RunningSubject, Step, SubjectKind, UnexpectedExit,
};
use crate::cluster::local::{LocalSubject, outside};
use crate::cluster::machine::Host;
use crate::cluster::machine::access::Access;
use crate::cluster::machine::deployed::{Deployed, Surroundings};
use crate::cluster::machine::outage::Outage;
use crate::cluster::machine::proxy::SubjectTap;
use crate::cluster::machine::registry::Registry;
use crate::container_runtime::Engine;
use crate::launcher::Launcher;
/// The archive with the agent's image.
pub use agent::archive as agent_archive;
pub use error::KindError;
pub use node::Node;
pub use offer::Kind;
pub use program::Program;
pub use provider::KindProvider;
pub use remains::KindLeftovers;
use remains::Remains;

/// Every node is a container with a system in it.
const NODES_MAX: u32 = 8;

/// What clusters by kind can do.
pub const CAPABILITIES: Capabilities = Capabilities {
    restarts: Ability::Has,
    gates: Ability::Has,
    changes: Ability::Has,
    emulation: Ability::Has,
    kubelets: Ability::Has,
    own_nodes: Ability::Has,
    policies: Ability::Has,
    others_apart: Ability::Lacks,
    one_store: Ability::Has,
    webhooks: Ability::Lacks,
    proxied: Proxied::Programs,
    second_instance: Ability::Lacks,
    nodes_max: NODES_MAX,
};

/// A cluster by kind.
pub struct KindCluster {
    state: Mutex<State>,
    /// What the requests of a subject that is a process of ours pass.
    tap: SubjectTap,
    client: kube::Client,
    outage: Outage,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
    control_plane: Node,
    image: (String, String),
    variant: config::Variant,
    /// A controller in the place of the built-in one is a process of ours.
    host: Arc<Host>,
    program: Program,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
    watcher: tokio::task::JoinHandle<()>,
    /// Tells of a controller that is a process of ours.
    of_host: tokio::task::JoinHandle<()>,
    /// Deletes the cluster when we go without having said what becomes of it.
    life: provider::Life,
}

/// What changes.
struct State {
    spec: ClusterSpec,
    /// The subject, if it is a process of ours.
    subject: Option<Arc<LocalSubject>>,
    /// The subject, if it runs in pods.
    deployed: Option<Arc<Deployed>>,
}

impl KindCluster {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what it is now, here and in its folder.
    fn become_what_was_wanted(&self, spec: &ClusterSpec) -> Result<(), ClusterError> {
        self.state().spec = spec.clone();
        self.life.owner().record(spec, self.binaries(), self.site(), self.host.pids())
    }

    /// Puts a controller into it, as pods; it goes with the cluster.
    async fn deploy(&self, controller: &DeployedController) -> Result<Arc<Deployed>, ClusterError> {
        let folder = self.site().folder();
        let archive = subject_image::archive(&controller.image, &self.program, folder).await?;
        self.load(&archive).await?;
        let image = subject_image::name_in(&archive)?;
        let api_server = match self.variant {
            config::Variant::Stock => None,
            // Nobody there sends what is for a Service on its way.
            config::Variant::Bare => Some(subject_image::api_server(&self.client, &self.control_plane).await?),
        };
        let spec = self.spec();
        let around = Surroundings {
            client: &self.client,
            spec: &spec,
            image: &image,
            policy: None,
            api_server,
            unexpected_exit: &self.unexpected_exit,
        };
        let deployed = Deployed::begin(controller, around).await?;
        self.state().deployed = Some(Arc::clone(&deployed));
        deployed.start().await?;
        Ok(deployed)
    }

    /// The node with the control plane.
    #[must_use]
    pub fn control_plane(&self) -> &Node {
        &self.control_plane
    }

    /// What its image can do.
    #[must_use]
    pub fn variant(&self) -> config::Variant {
        self.variant
    }

    /// Makes the images of an archive known to the cluster's nodes.
    ///
    /// # Errors
    /// When kind cannot load it.
    pub async fn load(&self, archive: &Path) -> Result<(), ClusterError> {
        loaded(&self.program, &self.life.remains().cluster, archive).await
    }
}

/// Makes the images of an archive known to the nodes of a kind cluster, whoever made that; `name` is its name for kind.
///
/// # Errors
/// When there is no kind, or it cannot load them.
pub async fn load_into(
    name: &str,
    runtime: Engine,
    archive: &Path,
    progress: Progress<'_>,
) -> Result<(), ClusterError> {
    let program = Program::at(program::find(DEFAULT_VERSION, progress).await?, runtime, Launcher::default());
    program.check().await?;
    progress(Step::Doing(format!("loading {} into {name}", archive.display())));
    loaded(&program, name, archive).await
}

async fn loaded(program: &Program, name: &str, archive: &Path) -> Result<(), ClusterError> {
    let archive = archive.display().to_string();
    let what = format!("load {archive} into {name}");
    let errand = program.errand(what, &["load", "image-archive", &archive, "--name", name]);
    Ok(errand.output().await.map(drop)?)
}

#[async_trait]
impl Cluster for KindCluster {
    fn spec(&self) -> ClusterSpec {
        self.state().spec.clone()
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
            Component::Subject if self.state().spec.subject != SubjectKind::BuiltIn => {
                let subject = self.state().subject.clone().ok_or(ClusterError::NoSuchComponent(of))?;
                subject.metrics().await
            }
            Component::Base | Component::Subject => {
                Ok(self.control_plane.ask(&format!("{}/metrics", subject::ADDRESS)).await?)
            }
            _ => Err(ClusterError::NoSuchComponent(of)),
        }
    }

    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.unexpected_exit.subscribe()
    }

    /// The built-in controller runs in a node, and its words are there; those of one in pods are with the kubelets.
    async fn subjects_words(&self) -> Option<String> {
        let deployed = self.state().deployed.clone();
        if let Some(deployed) = deployed {
            return deployed.words().await;
        }
        if self.state().spec.subject != SubjectKind::BuiltIn {
            return None;
        }
        let script = node::StaticPod::ControllerManager.words();
        self.control_plane.shell("read the log of the controller manager", &script).await.ok()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        let program = match kind {
            SubjectKind::BuiltIn => {
                let (node, exit) = (self.control_plane.clone(), Arc::clone(&self.unexpected_exit));
                return Ok(Box::new(subject::KindSubject::take_over(node, exit).await?));
            }
            SubjectKind::Deployed(controller) => return Ok(Box::new(self.deploy(controller).await?)),
            SubjectKind::Installed { manager } => return Err(ClusterError::NothingInstalled(manager.clone())),
            SubjectKind::InstalledVolcano => return Err(ClusterError::NothingInstalled("Volcano".to_owned())),
            SubjectKind::Program(program) => program,
        };
        let spec = self.spec();
        let tap = self.tap.on(spec.route, self.site()).await?;
        let process = outside(program, &spec, self.site());
        let running = LocalSubject::start(Arc::clone(&self.host), kind, &spec, process, tap).await?;
        self.state().subject = Some(Arc::clone(&running));
        Ok(Box::new(running))
    }

    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        self.change_to(change).await
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
        self.of_host.abort();
        self.host.end_all().await?;
        self.life.end().await
    }
}

impl Drop for KindCluster {
    fn drop(&mut self) {
        self.watcher.abort();
        self.of_host.abort();
    }
}

/// Takes a cluster down that was kept; one that somebody uses is left alone.
///
/// # Errors
/// When there is none of this name, it is in use, or cannot be deleted.
pub fn take_down(registry: &Registry, name: &str) -> Result<(), ClusterError> {
    let remains = Remains::read(&registry.folder_of(name)?);
    let remains = remains.ok_or_else(|| ClusterError::NoSuchCluster(name.to_owned()))?;
    let owner = registry.take_over(name)?;
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
