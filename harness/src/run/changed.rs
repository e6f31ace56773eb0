//! Cases that change their cluster, or need one of another kind: each gets one of its own, which is thrown away after it.

use super::{
    CellPlan, EventKind, Turn,
    ongoing::Run,
    play::Play,
    prepared_cell::{ChangeOutcome, PreparedCell},
};
use crate::scene::Waits;
use futures::{StreamExt as _, stream};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

impl Run<'_> {
    /// Brings up a cluster for each turn, so many at a time.
    pub(super) async fn in_clusters_of_their_own(
        &self,
        plan: &CellPlan<'_>,
        turns: Vec<Turn<'_>>,
        at_a_time: usize,
        waits: &Arc<Waits>,
    ) {
        let mut going = Vec::new();
        for (number, turn) in turns.into_iter().enumerate() {
            going.push(self.alone(plan, number, turn, waits));
        }
        stream::iter(going).buffer_unordered(at_a_time).collect::<Vec<()>>().await;
    }

    async fn alone(&self, plan: &CellPlan<'_>, number: usize, turn: Turn<'_>, waits: &Arc<Waits>) {
        let which = format!("-{}", number + 1);
        match self.prepared(&plan.cell.for_case(turn.case), &which, waits).await {
            Ok(stage) => self.in_its_cluster(plan, stage, turn, &which).await,
            Err(because) => {
                if self.stopped().is_none() {
                    self.lose(plan, because.clone(), None);
                }
                self.telling.incomplete(&plan.cell.id, &turn, because, None);
            }
        }
    }

    async fn in_its_cluster(&self, plan: &CellPlan<'_>, mut stage: PreparedCell, turn: Turn<'_>, which: &str) {
        let (news, mut heard) = mpsc::unbounded_channel();
        stage.news = Some(news);
        let stop = watch::Sender::new(None);
        let play = Play::new(plan, &stage, &stop);
        tokio::select! {
            () = self.play_alone(&play, turn) => {}
            never = self.watch(&stage, &stop) => match never {},
            never = self.pass_on(plan, turn, &mut heard) => match never {},
        }
        while let Ok(news) = heard.try_recv() {
            self.tell_news(plan, turn, news);
        }
        let went = self.last_look(&play).await;
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
