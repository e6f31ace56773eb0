//! Runs the cells of a plan, cases side by side within each, and tells what happens.

use super::{
    CellPlan, EventKind, Outcome, RunPlan, Sink, Turn,
    death::Play,
    emitter::EventEmitter,
    enough::FailedCases,
    interrupt::{Interrupt, asked},
    ongoing::{Run, Went},
    prepared_cell::PreparedCell,
    service_levels,
};
use crate::{cluster::ClusterProvider, scene::Waits};
use jobsworth_oracle::Verdict;
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::watch;

/// Runs a plan; timelines and logs go below `folder`.
///
/// # Guarantees
/// Every turn of the plan ends in exactly one of *finished* or *incomplete*, every skip is told, and the
/// last event is `RunFinished`, also after an interrupt.
pub async fn dispatch(
    plan: RunPlan<'_>,
    provider: &dyn ClusterProvider,
    folder: &Path,
    sink: &dyn Sink,
    interrupt: watch::Receiver<Interrupt>,
) -> Outcome {
    let telling = EventEmitter::new(sink);
    telling.tell(EventKind::RunStarted {
        run: plan.id.clone(),
        seed: plan.seed,
        cells: plan.cells.len(),
        turns: plan.cells.iter().map(|cell| cell.turns.len()).sum(),
    });
    let failed = FailedCases::new(plan.flaky);
    let run = Run { plan: &plan, provider, folder, telling: &telling, failed, interrupt };
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

impl Run<'_> {
    async fn cell(&self, plan: &CellPlan<'_>) {
        for (case, because) in &plan.skips {
            self.telling.outcome(|outcome| outcome.count(Verdict::Skip));
            let (cell, case) = (plan.cell.id.clone(), case.about().id);
            self.telling.tell(EventKind::CaseSkipped { cell, case, because: because.clone() });
        }
        let changes_cluster = |turn: &Turn<'_>| turn.case.about().needs.changes_cluster();
        let (own, shared): (Vec<Turn<'_>>, Vec<Turn<'_>>) = plan.turns.iter().copied().partition(changes_cluster);
        // Another controller, or another version of it, may be as it should be.
        let waits = Arc::new(Waits::new(self.plan.patience));
        self.in_one_cluster(plan, shared, &waits).await;
        self.in_clusters_of_their_own(plan, own, &waits).await;
    }

    /// Cases that leave the cluster as it is share one.
    async fn in_one_cluster(&self, plan: &CellPlan<'_>, turns: Vec<Turn<'_>>, waits: &Arc<Waits>) {
        // No cluster is brought up for turns that do not begin.
        if let Some(because) = self.failed.are_enough(self.plan.max_fail) {
            turns.iter().for_each(|turn| self.telling.incomplete(&plan.cell.id, turn, because.clone(), None));
            return;
        }
        if turns.is_empty() {
            return;
        }
        let mut interrupt = self.interrupt.clone();
        let stage = tokio::select! {
            stage = self.stage(plan, "", waits) => stage,
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

    /// Cases side by side; then, one at a time, those that bear no other beside them.
    async fn perform(&self, plan: &CellPlan<'_>, stage: PreparedCell, turns: Vec<Turn<'_>>) {
        let (alone, together): (Vec<Turn<'_>>, Vec<Turn<'_>>) =
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
        let findings = service_levels::told(&stage, &self.plan.objectives).await;
        if !findings.is_empty() {
            self.telling.tell(EventKind::ObjectivesTold { cell: plan.cell.id.clone(), findings });
        }
        let failed = *failed.lock().unwrap_or_else(PoisonError::into_inner) > 0;
        let went = if failed || broke { Went::Badly } else { Went::Well };
        self.leave(plan, stage, went, "").await;
    }
}
