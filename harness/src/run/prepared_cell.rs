//! A cell's cluster, proven to be what was asked for, with the controller under test running.

use super::Cell;
use crate::{
    cluster::{
        ChangeReport, Cluster, RunningSubject, SubjectKind,
        attest::{self, Attestation},
        namespace::removal,
    },
    scene::Waits,
};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;

/// How long what earlier cases have left may take to go.
const FREEING: Duration = Duration::from_secs(20);

/// A cell's cluster while its cases run.
pub struct PreparedCell {
    /// The cell.
    pub cell: Cell,
    /// Its cluster.
    pub cluster: Box<dyn Cluster>,
    /// The controller under test.
    pub subject: Arc<dyn RunningSubject>,
    /// Wanted against found.
    pub attestation: Arc<Attestation>,
    /// The run's folder.
    pub folder: PathBuf,
    /// The run's seed; names of namespaces depend on it.
    pub seed: u64,
    /// Hears of every change that a case makes to the cluster, if somebody wants to.
    pub news: Option<mpsc::UnboundedSender<ChangeOutcome>>,
    /// How waits went in the cell so far.
    pub waits: Arc<Waits>,
    /// What goes with the cluster.
    pub left: LeftNamespaces,
}

/// Namespaces of cases that are to go with their cluster: name and uid of each.
#[derive(Debug, Default)]
pub struct LeftNamespaces(Mutex<Vec<(String, String)>>);

/// What became of a change that a case wanted.
#[derive(Clone, Debug)]
pub enum ChangeOutcome {
    /// It was made and attested.
    Changed {
        /// What is so now.
        to: String,
        /// How it went.
        report: Arc<ChangeReport>,
    },
    /// It could not be made, for this reason; nothing can be judged on the cluster any more.
    Failed(String),
}

/// A cluster on which nothing can be judged.
pub struct Unfit {
    /// The cluster, to be removed.
    pub cluster: Box<dyn Cluster>,
    /// What was found, if anything could be read.
    pub attestation: Option<Arc<Attestation>>,
    /// Why nothing can be judged on it.
    pub because: String,
}

impl PreparedCell {
    /// Starts the cell's subject and proves the cluster.
    ///
    /// # Errors
    /// When the subject does not come up, or the cluster is not what the cell asks for.
    pub async fn set(cell: &Cell, cluster: Box<dyn Cluster>, folder: PathBuf, seed: u64) -> Result<Self, Unfit> {
        let mut unexpected_exit = cluster.unexpected_exit();
        let proven = tokio::select! {
            proven = prove(&*cluster, &cell.spec.subject) => proven,
            ended = crate::cluster::unexpected(&mut unexpected_exit) => Err(ended.in_full()),
        };
        let (running, attestation) = match proven {
            Ok(proven) => proven,
            Err(because) => return Err(Unfit { cluster, attestation: None, because }),
        };
        if !attestation.holds() {
            let rows: Vec<String> = attestation.doubts().map(ToString::to_string).collect();
            let because = format!("the cluster is not what was asked for: {}", rows.join("; "));
            return Err(Unfit { cluster, attestation: Some(attestation), because });
        }
        Ok(Self {
            cell: cell.clone(),
            cluster,
            subject: running,
            attestation,
            folder,
            seed,
            news: None,
            waits: Arc::default(),
            left: LeftNamespaces::default(),
        })
    }

    /// The Job gates as the API server has them.
    #[must_use]
    pub fn gates(&self) -> BTreeMap<String, bool> {
        self.attestation.gates()
    }
}

impl LeftNamespaces {
    /// One more is left.
    pub(super) fn add(&self, namespace: &str, uid: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((namespace.to_owned(), uid.to_owned()));
    }

    /// Takes what is still on its way out of them: who bears nothing beside it would meet a controller that is busy with what those
    /// before it have left, of which there may be hundreds.
    ///
    /// Best effort: what stays shows in the audit log.
    pub(super) async fn free_pods(&self, client: &kube::Client) {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(name, _)| name.clone()).collect();
        let _ = tokio::time::timeout(FREEING, removal::free_pods(client, &left)).await;
    }

    /// Deletes them in a cluster that stays after all.
    ///
    /// Best effort: they are empty.
    pub(super) async fn delete(&self, client: &kube::Client) {
        let left = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (namespace, uid) in left {
            let _ = removal::delete(client, &namespace, &uid).await;
        }
    }
}

async fn prove(
    cluster: &dyn Cluster,
    subject: &SubjectKind,
) -> Result<(Arc<dyn RunningSubject>, Arc<Attestation>), String> {
    let running = cluster.start_subject(subject).await.map_err(|error| crate::error_text::in_full(&error))?;
    let attestation = attest::attest(cluster).await.map_err(|error| crate::error_text::in_full(&error))?;
    Ok((running.into(), Arc::new(attestation)))
}
