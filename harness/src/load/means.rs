//! Clusters on which trials take place: one of local processes, of which everything can be measured, or one with a controller in it,
//! of which watches and metrics say what is to be known.

use std::collections::BTreeMap;

use super::Trouble;
use super::trial::{TrialGround, Turn};
use crate::cluster::local::{LocalCluster, LocalProvider};
use crate::cluster::{Cluster, ClusterError, ClusterProvider, ClusterSpec, Component, Progress, attest, namespace};
use crate::plan::run_id::run_id;

/// Who brings up the cluster.
#[derive(Clone, Copy)]
pub enum Bringer<'a> {
    /// Local processes.
    Local(&'a LocalProvider),
    /// Somebody in whose clusters there is a controller.
    Installed(&'a dyn ClusterProvider),
}

/// A cluster, by what it can be measured with.
pub enum Means {
    /// Its parts are processes of this machine, and its audit log is here.
    Processes(Box<LocalCluster>),
    /// It can be watched, and asked for metrics.
    Watches(Box<dyn Cluster>),
}

impl Bringer<'_> {
    /// Brings it up.
    ///
    /// # Errors
    /// When it does not come up, or may not be used any more.
    pub async fn provision(self, spec: &ClusterSpec, progress: Progress<'_>) -> Result<Means, ClusterError> {
        match self {
            Self::Local(provider) => {
                let name = format!("load-{}", std::process::id());
                Ok(Means::Processes(Box::new(provider.provision_local(spec, &name, progress).await?)))
            }
            Self::Installed(provider) => {
                // Somebody else's process may have our number, on another machine.
                let name = format!("load-{}", run_id(jiff::Timestamp::now(), rand::random()));
                Ok(Means::Watches(provider.provision(spec, &name, progress).await?))
            }
        }
    }
}

impl Means {
    /// The cluster.
    #[must_use]
    pub fn cluster(&self) -> &dyn Cluster {
        match self {
            Self::Processes(cluster) => &**cluster,
            Self::Watches(cluster) => &**cluster,
        }
    }

    /// The same where its parts are processes of ours.
    #[must_use]
    pub fn processes(&self) -> Option<&LocalCluster> {
        match self {
            Self::Processes(cluster) => Some(&**cluster),
            Self::Watches(_) => None,
        }
    }

    /// The Job gates as the API server has them; invariants depend on some.
    ///
    /// # Errors
    /// When it cannot be asked, or is not what it was to be.
    pub async fn gates(&self) -> Result<BTreeMap<String, bool>, Trouble> {
        let cluster = self.cluster();
        let attestation = match self {
            Self::Processes(_) => attest::attest_each(cluster, &[Component::ApiServer], &cluster.spec()).await,
            Self::Watches(_) => attest::attest(cluster).await,
        };
        let attestation = attestation.map_err(|error| Trouble::of("ask the API server what it is", &error))?;
        let doubts: Vec<String> = attestation.doubts().map(ToString::to_string).collect();
        match doubts.as_slice() {
            [] => Ok(attestation.gates()),
            doubts => Err(Trouble::new(format!("the cluster is not what was asked for: {}", doubts.join("; ")))),
        }
    }

    /// Ends it, or what is ours in it.
    ///
    /// # Errors
    /// When something could not be removed.
    pub async fn destroy(self) -> Result<(), ClusterError> {
        match self {
            Self::Processes(cluster) => cluster.destroy().await,
            Self::Watches(cluster) => cluster.destroy().await,
        }
    }
}

/// Has a controller that is there already show that it works, once and before anything counts.
///
/// # Errors
/// When it does not, or its proof cannot be made.
pub async fn shown_to_work(ground: &TrialGround<'_>, turn: Turn<'_>) -> Result<(), Trouble> {
    let client = ground.client("jobsworth-load")?;
    let name = namespace::name("load-probe", 1, rand::random());
    let made = namespace::create(&client, &name, ground.cluster.namespace_policy()).await;
    let uid = made.map_err(|error| Trouble::of("make the namespace", &error))?;
    let works = ground.proven_to_work(&client, &name, turn).await;
    namespace::sweep(&client, &name, &uid).await;
    works
}
