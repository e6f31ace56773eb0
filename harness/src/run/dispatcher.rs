//! Runs the cells of a plan, cases side by side within each, and tells what happens.

use super::{
    CellPlan, Event, EventKind, Keep, Outcome, RunPlan, Sink, Turn,
    death::Play,
    in_full,
    stage::{Stage, Unfit},
};
use crate::{
    cluster::{Cluster, ClusterProvider, Step},
    subject::SubjectController,
};
use jobsworth_oracle::Verdict;
use sha2::{Digest as _, Sha256};
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};
use tokio::{sync::watch, time::Instant};

/// How far a run has been asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interrupt {
    /// Not at all.
    None,
    /// In order: mark running cases as incomplete, take clusters down, write reports.
    Orderly(&'static str),
    /// At once: reports, nothing else.
    AtOnce(&'static str),
}

/// Runs a plan; timelines and logs go below `folder`.
///
/// # Guarantees
/// Every turn of the plan ends in exactly one of *finished* or *incomplete*, every skip is told, and the
/// last event is `RunFinished`, also after an interrupt.
pub async fn dispatch(
    plan: RunPlan,
    provider: &dyn ClusterProvider,
    subjects: &[&dyn SubjectController],
    folder: &Path,
    sink: &dyn Sink,
    interrupt: watch::Receiver<Interrupt>,
) -> Outcome {
    let telling = Telling { sink, clock: Instant::now(), outcome: Mutex::default() };
    telling.tell(EventKind::RunStarted {
        run: plan.id.clone(),
        seed: plan.seed,
        cells: plan.cells.len(),
        turns: plan.cells.iter().map(|cell| cell.turns.len()).sum(),
    });
    let run = Run { plan: &plan, provider, subjects, folder, telling: &telling, interrupt };
    for cell in &plan.cells {
        run.cell(cell).await;
    }
    if let Interrupt::Orderly(signal) | Interrupt::AtOnce(signal) = *run.interrupt.borrow() {
        telling.tell(EventKind::Interrupted { signal });
        telling.outcome(|outcome| outcome.interrupted = Some(signal));
    }
    let outcome = telling.outcome(|outcome| outcome.clone());
    telling.tell(EventKind::RunFinished { outcome: outcome.clone() });
    outcome
}

pub(super) struct Telling<'r> {
    sink: &'r dyn Sink,
    clock: Instant,
    outcome: Mutex<Outcome>,
}

impl Telling<'_> {
    pub(super) fn tell(&self, kind: EventKind) {
        self.sink.take(&Event { at: jiff::Timestamp::now(), elapsed: self.clock.elapsed(), kind });
    }

    pub(super) fn outcome<T>(&self, change: impl FnOnce(&mut Outcome) -> T) -> T {
        change(&mut self.outcome.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn incomplete(&self, cell: &str, turn: &Turn, because: String, timeline: Option<std::path::PathBuf>) {
        self.outcome(|outcome| outcome.incomplete += 1);
        let (case, attempt) = (turn.case.about().id, turn.attempt);
        self.tell(EventKind::CaseIncomplete { cell: cell.to_owned(), case, attempt, because, timeline });
    }
}

pub(super) struct Run<'r> {
    pub(super) plan: &'r RunPlan,
    provider: &'r dyn ClusterProvider,
    subjects: &'r [&'r dyn SubjectController],
    folder: &'r Path,
    pub(super) telling: &'r Telling<'r>,
    pub(super) interrupt: watch::Receiver<Interrupt>,
}

impl Run<'_> {
    async fn cell(&self, plan: &CellPlan) {
        for (case, because) in &plan.skips {
            self.telling.outcome(|outcome| outcome.count(Verdict::Skip));
            let (cell, case) = (plan.cell.id.clone(), case.about().id);
            self.telling.tell(EventKind::CaseSkipped { cell, case, because: because.clone() });
        }
        let changes_cluster = |turn: &Turn| turn.case.about().needs.changes_cluster();
        let (own, shared): (Vec<Turn>, Vec<Turn>) = plan.turns.iter().copied().partition(changes_cluster);
        self.in_one_cluster(plan, shared).await;
        self.in_clusters_of_their_own(plan, own).await;
    }

    /// Cases that leave the cluster as it is share one.
    async fn in_one_cluster(&self, plan: &CellPlan, turns: Vec<Turn>) {
        if turns.is_empty() {
            return;
        }
        let mut interrupt = self.interrupt.clone();
        let stage = tokio::select! {
            stage = self.stage(plan, "") => stage,
            signal = asked(&mut interrupt) => Err(format!("the run was stopped by {signal}")),
        };
        match stage {
            Ok(stage) => self.perform(plan, stage, turns).await,
            Err(because) => {
                if *self.interrupt.borrow() == Interrupt::None {
                    self.lose(plan, because.clone(), None);
                }
                for turn in &turns {
                    self.telling.incomplete(&plan.cell.id, turn, because.clone(), None);
                }
            }
        }
    }

    /// The cell's cluster, proven to be what was asked for, with the subject running.
    pub(super) async fn stage(&self, plan: &CellPlan, which: &str) -> Result<Stage, String> {
        let cell = &plan.cell;
        let progress = |step: Step| self.telling.tell(EventKind::Provisioning { cell: cell.id.clone(), step });
        let subject = self.subjects.iter().find(|subject| subject.name() == cell.subject);
        let subject = subject.ok_or_else(|| format!("there is no subject named {}", cell.subject))?;
        let name = cluster_name(&self.plan.id, &cell.id) + which;
        let cluster = self.provider.provision(&cell.spec, &name, &progress).await.map_err(|error| in_full(&error))?;
        let binaries = cluster.binaries();
        let stage = Stage::set(cell, cluster, *subject, self.folder.to_owned(), self.plan.seed).await;
        let attested = match &stage {
            Ok(stage) => Some(stage.attestation.clone()),
            Err(unfit) => unfit.attestation.clone(),
        };
        if let Some(attestation) = attested {
            self.telling.tell(EventKind::Attested { cell: cell.id.clone(), attestation, binaries });
        }
        match stage {
            Ok(stage) => Ok(stage),
            Err(Unfit { cluster, because, .. }) => Err(self.give_up(cluster, because).await),
        }
    }

    async fn give_up(&self, cluster: Box<dyn Cluster>, because: String) -> String {
        match cluster.destroy().await {
            Ok(()) => because,
            Err(error) => format!("{because}; and the cluster could not be removed: {}", in_full(&error)),
        }
    }

    /// Cases side by side; then, one at a time, those that bear no other beside them.
    async fn perform(&self, plan: &CellPlan, stage: Stage, turns: Vec<Turn>) {
        let (alone, together): (Vec<Turn>, Vec<Turn>) =
            turns.into_iter().partition(|turn| turn.case.about().needs.runs_alone());
        let stop = watch::Sender::new(None);
        let failed = Mutex::new(0);
        let play = Play::new(plan, &stage, &stop, &failed);
        let told_before = self.telling.outcome(|outcome| outcome.breakdowns);
        let watcher = self.watch(&stage, &stop);
        let cases = async {
            self.play(&play, together, self.plan.jobs.max(1)).await;
            self.play(&play, alone, 1).await;
        };
        tokio::select! {
            () = cases => {}
            never = watcher => match never {},
        }
        let broke = self.last_look(&play, told_before).await;
        let failed = *failed.lock().unwrap_or_else(PoisonError::into_inner) > 0;
        self.leave(plan, stage, failed || broke, "").await;
    }

    /// A component that ended unasked loses the cell; a controller that did so after its last case fails the run.
    pub(super) fn tell_casualty(&self, play: &Play<'_>) {
        let casualty = play.stage.cluster.casualty().borrow().clone();
        match casualty {
            Some(dead) if dead.is_subject() => self.tell_late_death(play, &dead),
            Some(lost) => self.lose(play.plan, lost.in_full(), Some(lost)),
            None => {}
        }
    }

    /// Turns an interrupt into a word to the running cases.
    pub(super) async fn watch(&self, stage: &Stage, stop: &watch::Sender<Option<String>>) -> std::convert::Infallible {
        let mut interrupt = self.interrupt.clone();
        let mut casualty = stage.cluster.casualty();
        let lost = async {
            let lost = casualty.wait_for(|lost| lost.as_ref().is_some_and(|lost| !lost.is_subject())).await;
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

    /// Why no turn begins any more, if none does.
    pub(super) fn held_back(&self, play: &Play<'_>) -> Option<String> {
        let asked = play.stop.borrow().clone();
        let so_far = *play.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let enough = self.plan.max_fail.is_some_and(|most| so_far >= most);
        asked.or_else(|| enough.then(|| format!("{so_far} cases had failed already")))
    }

    /// Keeps the cluster's logs, and the cluster if asked to.
    pub(super) async fn leave(&self, plan: &CellPlan, stage: Stage, failed: bool, which: &str) {
        if failed && let Err(error) = stage.cluster.gather().await {
            self.telling.tell(EventKind::Warning(format!("the nodes' logs were not kept: {}", in_full(&error))));
        }
        let logs = self.folder.join("cells").join(&plan.cell.id).join(format!("cluster{which}"));
        if let Err(error) = stage.cluster.collect(&logs) {
            self.telling.tell(EventKind::Warning(format!("the cluster's logs were not kept: {error}")));
        }
        let keep = match self.plan.keep {
            Keep::Never => false,
            Keep::Failed => failed,
            Keep::Always => true,
        };
        if keep {
            let name = cluster_name(&self.plan.id, &plan.cell.id) + which;
            return self.telling.tell(EventKind::ClusterKept { cell: plan.cell.id.clone(), name });
        }
        if let Err(error) = stage.cluster.destroy().await {
            self.telling.tell(EventKind::Warning(format!("the cluster could not be removed: {}", in_full(&error))));
        }
    }

    pub(super) fn lose(&self, plan: &CellPlan, because: String, casualty: Option<crate::cluster::Casualty>) {
        self.telling.outcome(|outcome| outcome.lost_cells += 1);
        self.telling.tell(EventKind::CellLost { cell: plan.cell.id.clone(), because, casualty });
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

/// Returns once a stop was asked for, with the name of the signal; never if nobody can ask any more.
pub async fn asked(interrupt: &mut watch::Receiver<Interrupt>) -> &'static str {
    let asked = interrupt.wait_for(|interrupt| *interrupt != Interrupt::None).await.map(|asked| *asked);
    match asked {
        Ok(Interrupt::Orderly(signal) | Interrupt::AtOnce(signal)) => signal,
        _ => std::future::pending().await,
    }
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
