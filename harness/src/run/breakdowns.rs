//! What is told of a controller that died or panicked.

use super::{
    Breakdown, EventKind,
    ongoing::{Run, Went},
    play::{LogReading, Play, QUOTED, panicked, survived},
};
use crate::cluster::{UnexpectedExit, last_words};
use std::{sync::atomic::Ordering, time::Duration};

/// How long a program may take to end after the first line of its panic.
const MOMENT: Duration = Duration::from_secs(2);

impl Run<'_> {
    /// A component that ended unasked loses the cell; a controller that did so after its last case fails the run.
    async fn tell_casualty(&self, play: &Play<'_>) {
        let unexpected_exit = play.stage.cluster.unexpected_exit().borrow().clone();
        match unexpected_exit {
            Some(dead) if dead.is_subject() => self.tell_late_death(play, &dead).await,
            Some(lost) => self.lose(play.plan, lost.in_full(), Some(lost)),
            None => {}
        }
    }

    pub(super) async fn tell_death(
        &self,
        play: &Play<'_>,
        dead: &UnexpectedExit,
        cases: Vec<String>,
        blamed: Vec<String>,
    ) {
        self.tell_panics(play, LogReading::Interim).await;
        play.ears().is_told = true;
        let breakdown = Breakdown { died: Some(dead.how()), lines: dead.last_lines.clone(), cases, blamed };
        self.tell_breakdown(play, breakdown);
    }

    /// A death after the last case, unless it was told at that case's end.
    async fn tell_late_death(&self, play: &Play<'_>, dead: &UnexpectedExit) {
        let is_told = play.ears().is_told;
        if !is_told {
            self.tell_death(play, dead, Vec::new(), Vec::new()).await;
        }
    }

    pub(super) async fn tell_panics(&self, play: &Play<'_>, reading: LogReading) {
        play.panics(reading).await.into_iter().for_each(|breakdown| self.tell_breakdown(play, breakdown));
    }

    fn tell_breakdown(&self, play: &Play<'_>, breakdown: Breakdown) {
        play.broke.store(true, Ordering::Relaxed);
        self.telling.outcome(|outcome| outcome.breakdowns += 1);
        self.telling.tell(EventKind::ControllerBroke { cell: play.stage.cell.id.clone(), breakdown });
    }

    /// The last look at a cell's controller: whether it has died since its last case, and what stands in a log that is
    /// read only once. Says how the cell's cases went.
    pub(super) async fn last_look(&self, play: &Play<'_>) -> Went {
        self.tell_panics(play, LogReading::Interim).await;
        let is_unsure = !play.ears().pending.is_empty();
        if is_unsure {
            let mut unexpected_exit = play.stage.cluster.unexpected_exit();
            // Whoever panics and ends does so within a moment; if it does not, it has survived.
            let _ = tokio::time::timeout(MOMENT, crate::cluster::unexpected(&mut unexpected_exit)).await;
        }
        self.tell_casualty(play).await;
        self.tell_panics(play, LogReading::Last).await;
        if let Some(words) = play.stage.cluster.subjects_words().await {
            let panics = last_words::panics(&words, QUOTED).into_iter().map(|lines| panicked(lines, &[])).collect();
            let told = survived(panics, &mut play.ears().deaths);
            for (_, panic) in told {
                let is_news = play.ears().known.insert(last_words::identity(&panic.lines));
                if is_news {
                    self.tell_breakdown(play, panic);
                }
            }
        }
        match play.failed.load(Ordering::Relaxed) || play.broke.load(Ordering::Relaxed) {
            true => Went::Badly,
            false => Went::Well,
        }
    }
}
