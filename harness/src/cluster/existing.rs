//! The provider for a cluster that the user already has: nothing is made there but namespaces of our own.
//!
//! Pure parts: [`production`] (may this context be used?), [`rights`] (what is missing?) and [`refusal`] (how is it said?).
//! The others ask the cluster.

pub mod connection;
mod offer;
mod probe;
pub mod production;
mod provider;
pub mod refusal;
pub mod remains;
pub mod rights;
mod subject;
pub mod survey;
mod volcano;
mod watcher;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::watch;

use crate::cluster::contract::attest::{Found, Mark};
use crate::cluster::contract::change::{Change, ChangeReport};
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::subject_kind::ControllerImage;
use crate::cluster::contract::{
    Ability, Capabilities, Cluster, ClusterError, ClusterSpec, Component, DeployedController, Pods, Proxied,
    RunningSubject, SubjectKind, UnexpectedExit,
};
use crate::cluster::machine::access;
use crate::cluster::machine::deployed::{Deployed, Surroundings};
use crate::cluster::namespace::NamespacePolicy;
pub use connection::ClusterConnection;
pub use offer::Existing;
pub use provider::ExistingProvider;
pub use refusal::Refusal;
use remains::Remain;
pub use survey::Survey;

/// A cluster with more nodes than this is not for experiments.
pub const NODES_MAX: u32 = 50;

/// What can be done on a cluster that is not ours.
pub const CAPABILITIES: Capabilities = Capabilities {
    restarts: Ability::Lacks,
    gates: Ability::Lacks,
    emulation: Ability::Lacks,
    changes: Ability::Lacks,
    kubelets: Ability::Has,
    own_nodes: Ability::Lacks,
    policies: Ability::Lacks,
    others_apart: Ability::Lacks,
    one_store: Ability::Has,
    webhooks: Ability::Lacks,
    proxied: Proxied::Nobody,
    second_instance: Ability::Lacks,
    nodes_max: NODES_MAX,
};

/// Why something could not be done on a cluster that is not ours.
#[derive(Debug, thiserror::Error)]
pub enum ExistingError {
    /// It may not be used, or not any more.
    #[error("{0}; {help}", help = .0.help())]
    Refused(#[from] Refusal),
    /// No pod can be run there.
    #[error("failed to run a pod from the image {image}: {said}; {help}", help = probe::HELP)]
    Image {
        /// The image.
        image: String,
        /// What the kubelet says.
        said: String,
    },
    /// The scheduler or the kubelet took too long.
    #[error("failed to see a pod run within {within} s: {said}")]
    NoPod {
        /// How long we waited.
        within: u64,
        /// What its status said last.
        said: String,
    },
    /// Namespaces of ours did not go.
    #[error("failed to see the namespaces {names} go within {within} s; remove them with `kubectl delete namespace`")]
    Left {
        /// Which.
        names: String,
        /// How long we waited.
        within: u64,
    },
    /// It is not ours to do.
    #[error("failed to {0}: the cluster is not ours")]
    NotOurs(String),
}

impl From<ExistingError> for ClusterError {
    fn from(error: ExistingError) -> Self {
        Self::Provider(Box::new(error))
    }
}

/// A cluster of the user.
pub struct ExistingCluster {
    spec: ClusterSpec,
    client: kube::Client,
    found: Found,
    policy: NamespacePolicy,
    /// The agent's image, and the digest under which the kubelet has it.
    image: (String, String),
    /// An empty one: everything of this cluster is elsewhere.
    site: Layout,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
    /// The subject, if we put it there.
    deployed: Mutex<Option<Arc<Deployed>>>,
    watcher: tokio::task::JoinHandle<()>,
    /// Removes our namespaces when we go without having said so.
    life: provider::Life,
    _folder: tempfile::TempDir,
}

#[async_trait]
impl Cluster for ExistingCluster {
    fn spec(&self) -> ClusterSpec {
        self.spec.clone()
    }

    fn client(&self) -> kube::Client {
        self.client.clone()
    }

    /// What ran in the pods; the cluster's own programs are not ours to read.
    fn binaries(&self) -> Vec<(String, String)> {
        vec![self.image.clone()]
    }

    fn site(&self) -> &Layout {
        &self.site
    }

    fn pods(&self) -> Pods {
        Pods::Real
    }

    fn agent_image(&self) -> Option<&str> {
        Some(&self.image.0)
    }

    fn namespace_policy(&self) -> Option<&NamespacePolicy> {
        Some(&self.policy)
    }

    fn found(&self) -> Option<&Found> {
        Some(&self.found)
    }

    /// Of an installed Volcano: read again. Other controllers of a cluster that is not ours were not looked at.
    async fn marks(&self) -> Result<Vec<Mark>, ClusterError> {
        if self.found.marks.is_empty() {
            return Ok(Vec::new());
        }
        let looked = volcano::look(&self.client).await.map_err(|source| ClusterError::Request {
            what: "list the Deployments of Volcano".to_owned(),
            source: Box::new(source),
        })?;
        looked.map_err(|why| ExistingError::Refused(Refusal::NoVolcano(why)).into())
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        match of {
            Component::ApiServer => access::text(&self.client, self.life.connection().server(), "/metrics").await,
            other => Err(ClusterError::NoSuchComponent(other)),
        }
    }

    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.unexpected_exit.subscribe()
    }

    /// The words of what we put there; of anybody else's pods we read nothing.
    async fn subjects_words(&self) -> Option<String> {
        let deployed = self.deployed().clone()?;
        deployed.words().await
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        match kind {
            SubjectKind::Deployed(controller) => Ok(Box::new(self.deploy(controller).await?)),
            SubjectKind::BuiltIn | SubjectKind::Installed { .. } | SubjectKind::InstalledVolcano => {
                Ok(Box::new(subject::ExistingSubject))
            }
            SubjectKind::Program(_) => Err(ExistingError::NotOurs("put another Job controller in".to_owned()).into()),
        }
    }

    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        Err(ExistingError::NotOurs(format!("change the cluster to {change}")).into())
    }

    /// Removes what we made, and returns when it is gone; the cluster stays.
    async fn destroy(mut self: Box<Self>) -> Result<(), ClusterError> {
        self.watcher.abort();
        let deployed = self.deployed().take();
        if let Some(deployed) = deployed {
            // Namespaces of cases first: their Jobs have a controller as long as that.
            let cases = self.remove_all_but(deployed.namespace_uid()).await;
            cases.and(deployed.remove().await)?;
        }
        self.life.end(&self.client).await
    }
}

impl ExistingCluster {
    fn deployed(&self) -> MutexGuard<'_, Option<Arc<Deployed>>> {
        self.deployed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the namespaces of this run but for the one with this uid, and returns when they are gone.
    async fn remove_all_but(&self, uid: &str) -> Result<(), ClusterError> {
        let run = self.policy.run();
        let listed = remains::all(&self.client, Some(run)).await.map_err(|source| ClusterError::Request {
            what: format!("list the namespaces of {run}"),
            source: Box::new(source),
        })?;
        remains::remove(&self.client, all_but(uid, listed)).await
    }

    /// Puts a controller into it, in a namespace of ours that owns everything else of it.
    async fn deploy(&self, controller: &DeployedController) -> Result<Arc<Deployed>, ClusterError> {
        let ControllerImage::Name(image) = &controller.image else {
            return Err(ExistingError::NotOurs("load an image into the nodes".to_owned()).into());
        };
        let around = Surroundings {
            client: &self.client,
            spec: &self.spec,
            image,
            policy: Some(&self.policy),
            api_server: None,
            unexpected_exit: &self.unexpected_exit,
        };
        let deployed = Deployed::begin(controller, around).await?;
        // Whatever becomes of it from here on: it is removed.
        *self.deployed() = Some(Arc::clone(&deployed));
        deployed.start().await?;
        Ok(deployed)
    }
}

impl Drop for ExistingCluster {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

/// These without the one with this uid.
fn all_but(uid: &str, mut listed: Vec<Remain>) -> Vec<Remain> {
    listed.retain(|remain| remain.uid != uid);
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_namespace_of_the_controller_is_not_removed_with_those_of_cases() {
        let remain = |name: &str, uid: &str| Remain {
            name: name.to_owned(),
            uid: uid.to_owned(),
            run: "run-1".to_owned(),
            owner: "jane".to_owned(),
            sharing: None,
            expires: None,
            going: false,
        };
        let listed = vec![remain("jw-a-1", "a"), remain("jw-controller-1", "b"), remain("jw-c-1", "c")];
        let names: Vec<String> = all_but("b", listed).into_iter().map(|remain| remain.name).collect();
        assert_eq!(names, ["jw-a-1", "jw-c-1"]);
    }
}
