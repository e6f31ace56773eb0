//! Cases that change their cluster: each gets one of its own, which is thrown away after it.

use super::{
    CellPlan, EventKind, Interrupt, Turn,
    death::Play,
    interrupt::asked,
    ongoing::{Run, Went},
    prepared_cell::{ChangeOutcome, PreparedCell},
};
use crate::scene::Waits;
use futures::{StreamExt as _, stream};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, watch};

/// How many clusters there are at a time: a control plane that starts keeps a core busy.
const CLUSTERS: usize = 2;

impl Run<'_> {
    /// Brings up a cluster for each turn, one or two at a time.
    pub(super) async fn in_clusters_of_their_own(&self, plan: &CellPlan<'_>, turns: Vec<Turn<'_>>, waits: &Arc<Waits>) {
        let failed = Mutex::new(0);
        let side_by_side = self.plan.jobs.clamp(1, CLUSTERS);
        let mut going = Vec::new();
        for (number, turn) in turns.into_iter().enumerate() {
            going.push(self.alone(plan, number, turn, &failed, waits));
        }
        stream::iter(going).buffer_unordered(side_by_side).collect::<Vec<()>>().await;
    }

    async fn alone(&self, plan: &CellPlan<'_>, number: usize, turn: Turn<'_>, failed: &Mutex<u32>, waits: &Arc<Waits>) {
        let asked_before = *self.interrupt.borrow();
        let stopped = match asked_before {
            Interrupt::Orderly(signal) | Interrupt::AtOnce(signal) => Some(format!("the run was stopped by {signal}")),
            Interrupt::None => self.failed.are_enough(self.plan.max_fail),
        };
        if let Some(because) = stopped {
            return self.telling.incomplete(&plan.cell.id, &turn, because, None);
        }
        let which = format!("-{}", number + 1);
        let mut interrupt = self.interrupt.clone();
        let stage = tokio::select! {
            stage = self.stage(plan, &which, waits) => stage,
            signal = asked(&mut interrupt) => Err(format!("the run was stopped by {signal}")),
        };
        match stage {
            Ok(stage) => self.in_its_cluster(plan, stage, turn, failed, &which).await,
            Err(because) => {
                if *self.interrupt.borrow() == Interrupt::None {
                    self.lose(plan, because.clone(), None);
                }
                self.telling.incomplete(&plan.cell.id, &turn, because, None);
            }
        }
    }

    async fn in_its_cluster(
        &self,
        plan: &CellPlan<'_>,
        mut stage: PreparedCell,
        turn: Turn<'_>,
        failed: &Mutex<u32>,
        which: &str,
    ) {
        let (news, mut heard) = mpsc::unbounded_channel();
        stage.news = Some(news);
        let stop = watch::Sender::new(None);
        let told_before = self.telling.outcome(|outcome| outcome.breakdowns);
        let count = || *failed.lock().unwrap_or_else(PoisonError::into_inner);
        let before = count();
        let play = Play::new(plan, &stage, &stop, failed);
        tokio::select! {
            () = self.play_alone(&play, turn) => {}
            never = self.watch(&stage, &stop) => match never {},
            never = self.pass_on(plan, turn, &mut heard) => match never {},
        }
        while let Ok(news) = heard.try_recv() {
            self.tell_news(plan, turn, news);
        }
        let broke = self.last_look(&play, told_before).await;
        let went = if count() > before || broke { Went::Badly } else { Went::Well };
        self.leave(plan, stage, went, which).await;
    }

    /// Tells of changes as they are made.
    async fn pass_on(
        &self,
        plan: &CellPlan<'_>,
        turn: Turn<'_>,
        heard: &mut mpsc::UnboundedReceiver<ChangeOutcome>,
    ) -> std::convert::Infallible {
        while let Some(news) = heard.recv().await {
            self.tell_news(plan, turn, news);
        }
        std::future::pending().await
    }

    fn tell_news(&self, plan: &CellPlan<'_>, turn: Turn<'_>, news: ChangeOutcome) {
        match news {
            ChangeOutcome::Changed { to, report } => self.telling.tell(EventKind::ClusterChanged {
                cell: plan.cell.id.clone(),
                case: turn.case.about().id,
                attempt: turn.attempt,
                to,
                took: report.took,
                steps: report.steps.clone(),
                attestation: report.attestation.clone(),
            }),
            ChangeOutcome::Failed(because) => self.lose(plan, because, None),
        }
    }
}
