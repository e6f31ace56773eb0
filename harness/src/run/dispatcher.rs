//! Runs the cells of a plan, cases side by side within each, and tells what happens.

use super::{
    CellPlan, EventKind, Outcome, RunPlan, Sink, Turn,
    emitter::EventEmitter,
    enough::FailedCases,
    interrupt::Interrupt,
    lanes::{Lanes, Queue},
    ongoing::{Run, Went},
    play::Play,
    prepared_cell::PreparedCell,
    service_levels::ServiceLevels,
};
use crate::{cluster::ClusterProvider, scene::Waits};
use futures::future::join_all;
use jobsworth_oracle::Verdict;
use std::{path::Path, sync::Arc};
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
        let lanes = Lanes::of(&plan.turns);
        let others = lanes.alone_clusters(self.plan.clusters);
        let Lanes { together, alone, own } = lanes;
        // Another controller, or another version of it, may be as it should be.
        let waits = Arc::new(Waits::new(self.plan.patience));
        let levels = ServiceLevels::default();
        let first = self.in_one_cluster(plan, together, &alone, &waits, &levels);
        // They are among those that there may be beside the first.
        let at_a_time = self.plan.clusters.saturating_sub(others).max(1);
        let others = (1..=others).map(|number| self.in_another_cluster(plan, number, &alone, &waits, &levels));
        let own = self.in_clusters_of_their_own(plan, own, at_a_time, &waits);
        let ended: Result<(), String> = if self.plan.clusters > 1 {
            let (first, others, ()) = tokio::join!(first, join_all(others), own);
            std::iter::once(first).chain(others).collect()
        } else {
            let first = first.await;
            own.await;
            first
        };
        // Of all together: each has seen a part of the cases.
        let findings = levels.findings(plan, &self.plan.objectives);
        if !findings.is_empty() {
            self.telling.tell(EventKind::ObjectivesTold { cell: plan.cell.id.clone(), findings });
        }
        if let Err(because) = ended {
            while let Some(turn) = alone.next() {
                self.telling.incomplete(&plan.cell.id, &turn, because.clone(), None);
            }
        }
    }

    /// Cases that leave the cluster as it is share one; then come, one at a time, those that bear no other beside them.
    ///
    /// # Errors
    /// When it ends before the queue does, with the reason.
    async fn in_one_cluster(
        &self,
        plan: &CellPlan<'_>,
        together: Vec<Turn<'_>>,
        alone: &Queue<'_>,
        waits: &Arc<Waits>,
        levels: &ServiceLevels,
    ) -> Result<(), String> {
        if together.is_empty() && alone.is_empty() {
            return Ok(());
        }
        let stage = match self.prepared(&plan.cell, "", waits).await {
            Ok(stage) => stage,
            Err(because) => {
                if self.stopped().is_none() {
                    self.lose(plan, because.clone(), None);
                }
                together.iter().for_each(|turn| self.telling.incomplete(&plan.cell.id, turn, because.clone(), None));
                return Err(because);
            }
        };
        let (went, ended) = self.perform(plan, &stage, together, alone).await;
        levels.hear(&stage, &self.plan.objectives).await;
        self.leave(plan, stage, went, "").await;
        ended
    }

    /// Takes of the queue what the first cluster has not come to yet; without any such that one does all.
    ///
    /// # Errors
    /// When it ends before the queue does, with the reason.
    async fn in_another_cluster(
        &self,
        plan: &CellPlan<'_>,
        number: usize,
        alone: &Queue<'_>,
        waits: &Arc<Waits>,
        levels: &ServiceLevels,
    ) -> Result<(), String> {
        let which = if number == 1 { "-alone".to_owned() } else { format!("-alone-{number}") };
        let stage = self.prepared(&plan.cell, &which, waits).await.inspect_err(|because| {
            if self.stopped().is_none() {
                let text = format!("{}: there is one cluster less, so it takes longer: {because}", plan.cell.id);
                self.telling.tell(EventKind::Warning(text));
            }
        })?;
        let (went, ended) = self.perform(plan, &stage, Vec::new(), alone).await;
        levels.hear(&stage, &self.plan.objectives).await;
        self.leave(plan, stage, went, &which).await;
        ended
    }

    async fn perform(
        &self,
        plan: &CellPlan<'_>,
        stage: &PreparedCell,
        together: Vec<Turn<'_>>,
        alone: &Queue<'_>,
    ) -> (Went, Result<(), String>) {
        let stop = watch::Sender::new(None);
        let play = Play::new(plan, stage, &stop);
        let watcher = self.watch(stage, &stop);
        let cases = async {
            self.play(&play, together, self.plan.jobs.max(1)).await;
            // What this cluster cannot do any more another one may.
            while stop.borrow().is_none()
                && let Some(turn) = alone.next()
            {
                stage.left.free_pods(&stage.cluster.client()).await;
                self.play(&play, vec![turn], 1).await;
            }
        };
        tokio::select! {
            () = cases => {}
            never = watcher => match never {},
        }
        let went = self.last_look(&play).await;
        let ended = stop.borrow().clone().map_or(Ok(()), Err);
        (went, ended)
    }
}
