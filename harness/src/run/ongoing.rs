//! A run that goes on: what it works with, and the clusters of its cells, brought up and left.

use super::{
    Cell, CellPlan, EventKind, Keep, RunPlan,
    emitter::EventEmitter,
    enough::FailedCases,
    interrupt::{Interrupt, asked},
    missing_rights,
    prepared_cell::{PreparedCell, Unfit},
};
use crate::{
    cluster::{Cluster, ClusterProvider, Step, SubjectKind},
    error_text::in_full,
    scene::Waits,
};
use sha2::{Digest as _, Sha256};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::sync::watch;

/// How long a cluster that stays may take to be asked to delete the namespaces of its cases.
const CLEARING: Duration = Duration::from_secs(30);

pub(super) struct Run<'r> {
    pub(super) plan: &'r RunPlan<'r>,
    pub(super) provider: &'r dyn ClusterProvider,
    pub(super) folder: &'r Path,
    pub(super) telling: &'r EventEmitter<'r>,
    pub(super) failed: FailedCases,
    pub(super) interrupt: watch::Receiver<Interrupt>,
}

/// Name and SHA-256 of a controller that we start: two runs of it are only alike if it is the same one. Nothing where it
/// cannot be read; it cannot be started either then, and that is told.
async fn subject_sum(subject: &SubjectKind) -> Option<(String, String)> {
    let path = subject.program()?.to_owned();
    let name = path.file_name()?.to_string_lossy().into_owned();
    let sum = tokio::task::spawn_blocking(move || crate::binaries::sha256(&path).ok()).await.ok()?;
    Some((name, sum?))
}

/// How the cases of a cell went, as far as it matters for its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Went {
    /// None failed.
    Well,
    /// One failed, or the controller died.
    Badly,
}

impl Run<'_> {
    /// Why no turn begins any more, if none does.
    pub(super) fn held_back(&self, stop: &watch::Sender<Option<String>>) -> Option<String> {
        let asked = stop.borrow().clone();
        asked.or_else(|| self.failed.are_enough(self.plan.max_fail))
    }

    /// Why no cluster is brought up any more, if none is.
    pub(super) fn stopped(&self) -> Option<String> {
        match *self.interrupt.borrow() {
            Interrupt::Orderly(signal) | Interrupt::AtOnce(signal) => Some(format!("the run was stopped by {signal}")),
            Interrupt::None => self.failed.are_enough(self.plan.max_fail),
        }
    }

    /// One of the cell's clusters, proven to be what was asked for, with the subject running.
    ///
    /// # Errors
    /// When it is not to be had, or nobody wants it any more, with the reason.
    pub(super) async fn prepared(&self, cell: &Cell, which: &str, waits: &Arc<Waits>) -> Result<PreparedCell, String> {
        if let Some(because) = self.stopped() {
            return Err(because);
        }
        let mut interrupt = self.interrupt.clone();
        tokio::select! {
            stage = self.stage(cell, which, waits) => stage,
            signal = asked(&mut interrupt) => Err(format!("the run was stopped by {signal}")),
        }
    }

    async fn stage(&self, cell: &Cell, which: &str, waits: &Arc<Waits>) -> Result<PreparedCell, String> {
        let progress = |step: Step| self.telling.tell(EventKind::Provisioning { cell: cell.id.clone(), step });
        let name = cluster_name(&self.plan.id, &cell.id) + which;
        let cluster = self.provider.provision(&cell.spec, &name, &progress).await.map_err(|error| in_full(&error))?;
        let mut binaries = cluster.binaries();
        binaries.extend(subject_sum(&cell.spec.subject).await);
        let stage = PreparedCell::set(cell, cluster, self.folder.to_owned(), self.plan.seed).await;
        let attested = match &stage {
            Ok(stage) => Some(stage.attestation.clone()),
            Err(unfit) => unfit.attestation.clone(),
        };
        if let Some(attestation) = attested {
            self.telling.tell(EventKind::Attested { cell: cell.id.clone(), attestation, binaries });
        }
        match stage {
            Ok(stage) => Ok(PreparedCell { waits: Arc::clone(waits), ..stage }),
            Err(Unfit { cluster, because, .. }) => Err(self.give_up(cluster, because).await),
        }
    }

    async fn give_up(&self, cluster: Box<dyn Cluster>, because: String) -> String {
        match cluster.destroy().await {
            Ok(()) => because,
            Err(error) => format!("{because}; and the cluster could not be removed: {}", in_full(&error)),
        }
    }

    /// Turns an interrupt into a word to the running cases.
    pub(super) async fn watch(
        &self,
        stage: &PreparedCell,
        stop: &watch::Sender<Option<String>>,
    ) -> std::convert::Infallible {
        let mut interrupt = self.interrupt.clone();
        let mut unexpected_exit = stage.cluster.unexpected_exit();
        let lost = async {
            let lost = unexpected_exit.wait_for(|lost| lost.as_ref().is_some_and(|lost| !lost.is_subject())).await;
            match lost.ok().and_then(|lost| lost.as_ref().map(ToString::to_string)) {
                Some(lost) => lost,
                None => std::future::pending().await,
            }
        };
        let because = tokio::select! {
            signal = asked(&mut interrupt) => format!("the run was stopped by {signal}"),
            lost = lost => lost,
        };
        // A lost cluster ends the running cases by itself, each with its timeline so far.
        stop.send_replace(Some(because));
        std::future::pending().await
    }

    /// A program of somebody else may need rights that the built-in controller has not.
    fn tell_missing_rights(&self, stage: &PreparedCell) {
        let log = stage.cluster.site().audit_log();
        if !matches!(stage.cell.spec.subject, SubjectKind::Program(_)) || !log.is_file() {
            return;
        }
        match missing_rights::in_audit_log(&log) {
            Ok(refused) if refused.is_empty() => {}
            Ok(refused) => self.telling.tell(EventKind::Warning(format!(
                "{}: the controller {} had no right to {}; a controller file gives rights with `rights`",
                stage.cell.id,
                stage.cell.subject,
                refused.join(", ")
            ))),
            Err(error) => self.telling.tell(EventKind::Warning(format!("the audit log was not read: {error}"))),
        }
    }

    /// Keeps the cluster's logs, and the cluster if asked to.
    pub(super) async fn leave(&self, plan: &CellPlan<'_>, stage: PreparedCell, went: Went, which: &str) {
        self.tell_missing_rights(&stage);
        if went == Went::Badly
            && let Err(error) = stage.cluster.gather().await
        {
            self.telling.tell(EventKind::Warning(format!("the nodes' logs were not kept: {}", in_full(&error))));
        }
        let logs = self.folder.join("cells").join(&plan.cell.id).join(format!("cluster{which}"));
        if let Err(error) = stage.cluster.collect(&logs) {
            self.telling.tell(EventKind::Warning(format!("the cluster's logs were not kept: {error}")));
        }
        let keep = match self.plan.keep {
            Keep::Never => false,
            Keep::Failed => went == Went::Badly,
            Keep::Always => true,
        };
        if keep {
            // Best effort: who looks at the cluster later finds none of ours.
            let client = stage.cluster.client();
            let _ = tokio::time::timeout(CLEARING, stage.left.delete(&client)).await;
            let name = cluster_name(&self.plan.id, &plan.cell.id) + which;
            return self.telling.tell(EventKind::ClusterKept { cell: plan.cell.id.clone(), name });
        }
        if let Err(error) = stage.cluster.destroy().await {
            self.telling.tell(EventKind::Warning(format!("the cluster could not be removed: {}", in_full(&error))));
        }
    }

    pub(super) fn lose(
        &self,
        plan: &CellPlan<'_>,
        because: String,
        unexpected_exit: Option<crate::cluster::UnexpectedExit>,
    ) {
        self.telling.outcome(|outcome| outcome.lost_cells += 1);
        self.telling.tell(EventKind::CellLost { cell: plan.cell.id.clone(), because, unexpected_exit });
    }
}

/// A cluster's name from the run and the cell, of which the digest makes it one of its own; short enough for a folder, also
/// with a number after it.
fn cluster_name(run: &str, cell: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let tail: String = run.chars().rev().filter(char::is_ascii_alphanumeric).take(8).collect();
    let head: String = cell.chars().map(fit).take(14).collect();
    let digest = Sha256::digest(cell);
    format!("run-{}-{}-{:02x}{:02x}", tail.to_ascii_lowercase(), head.trim_end_matches('-'), digest[0], digest[1])
}

#[cfg(test)]
mod tests {
    use super::cluster_name;

    #[test]
    fn cells_that_begin_alike_have_clusters_of_their_own_and_names_are_short() {
        let [one, other] = ["builtin", "reference"]
            .map(|who| cluster_name("20261122-011013-knfv3", &format!("1.35.4-as-1.32-jobsuccesspolicy-off-{who}")));
        assert_ne!(one, other);
        assert!(one.starts_with("run-") && one.len() <= 36, "{one}");
    }
}
