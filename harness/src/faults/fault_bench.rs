//! Where controllers behind proxies are put to the test: one control plane, many controllers, cases run and judged as ever.

use super::proxied_controller::{ProxiedController, Started};
use crate::{
    case::AnyCase,
    cluster::{
        Cluster, ClusterError, RunningSubject,
        attest::{self, Attestation},
        local::LocalCluster,
        shared::SharedCluster,
    },
    run::{
        CaseReport, Cell,
        execute::{self, Incomplete, namespace_of},
        prepared_cell::{LeftNamespaces, PreparedCell},
    },
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::watch;

/// A control plane without a Job controller of its own.
pub struct FaultBench {
    cluster: Arc<LocalCluster>,
    attestation: Arc<Attestation>,
    started: Started,
    folder: PathBuf,
    seed: u64,
}

impl FaultBench {
    /// The bench on `cluster`, whose controllers are started like `started`. Timelines and logs go to `folder`.
    ///
    /// # Errors
    /// When the cluster does not say what it is, or the folder cannot be made.
    pub async fn on(cluster: LocalCluster, started: Started, folder: &Path, seed: u64) -> Result<Self, ClusterError> {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| ClusterError::File { what: "create", path: folder.to_owned(), source })?;
        let attestation = Arc::new(attest::attest(&cluster).await?);
        Ok(Self { cluster: Arc::new(cluster), attestation, started, folder: folder.to_owned(), seed })
    }

    /// The control plane.
    #[must_use]
    pub fn cluster(&self) -> &dyn Cluster {
        &*self.cluster
    }

    /// Takes the control plane down.
    ///
    /// # Errors
    /// When something could not be removed.
    pub async fn leave(self) -> Result<(), ClusterError> {
        match Arc::into_inner(self.cluster) {
            Some(cluster) => Box::new(cluster).destroy().await,
            // A run that was given up still holds it; it goes with this process.
            None => Ok(()),
        }
    }

    /// Where timelines and logs are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The namespace of a case's attempt.
    #[must_use]
    pub fn namespace(&self, case: &dyn AnyCase, attempt: u32) -> String {
        namespace_of(case, attempt, self.seed)
    }

    /// A controller for a case's attempt; several controllers of one attempt differ in `name`.
    ///
    /// # Errors
    /// When the proxy cannot be opened, or a file not be written.
    pub async fn controller(
        &self,
        case: &dyn AnyCase,
        attempt: u32,
        name: &str,
        flags: &[String],
    ) -> Result<ProxiedController, ClusterError> {
        let namespace = self.namespace(case, attempt);
        let mut started = self.started.clone();
        started.flags.extend(flags.iter().cloned());
        let name = format!("{namespace}-{name}");
        ProxiedController::open(self.cluster.site(), &namespace, &started, &self.folder, &name).await
    }

    /// Plays a case and judges it; its controllers run already. `subject` is what the script may handle.
    ///
    /// # Errors
    /// When it could not be played to its end.
    pub async fn play(
        &self,
        case: &'static dyn AnyCase,
        attempt: u32,
        subject: Arc<dyn RunningSubject>,
    ) -> Result<CaseReport, Incomplete> {
        let cell = Cell::of("behind-a-proxy".to_owned(), "local", &self.started.subject, self.cluster.spec());
        let stage = PreparedCell {
            cell,
            cluster: Box::new(SharedCluster(self.cluster.clone())),
            subject,
            attestation: Arc::clone(&self.attestation),
            folder: self.folder.clone(),
            seed: self.seed,
            news: None,
            waits: Arc::default(),
            left: LeftNamespaces::default(),
        };
        let (_never, stop) = watch::channel(None);
        execute::run_case(&stage, case, attempt, stop).await
    }
}
