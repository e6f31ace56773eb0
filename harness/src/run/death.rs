//! A controller under test that dies or panics while cases run: who did it, and how the others go on.
//!
//! # Guarantees
//! A case during which the controller dies while no other runs fails. Where several ran, each is tried again alone on a
//! controller that was started again; if it lives through all of them, the run fails and names them. What the suspects had
//! made is removed before, so that no case suffers from another's. A controller that does not start again loses the cell.

use super::{
    CaseReport, EventKind, Turn,
    execute::{Take, clear, run_take},
    ongoing::Run,
    play::{LogReading, Play},
};
use futures::{StreamExt as _, future::BoxFuture, stream};
use jobsworth_oracle::{Ending, Verdict};
use std::{mem, sync::atomic::Ordering};
use tokio::sync::Semaphore;

/// For each case whose script goes on so many are there at most, the others being watched until nothing is written any more.
const WATCHED_BESIDE: usize = 4;

/// How often a case is begun that a dead controller keeps from beginning.
const TAKES: u32 = 4;

/// A turn, and which time it is played.
#[derive(Clone, Copy)]
struct Go<'c> {
    turn: Turn<'c>,
    take: u32,
}

/// What became of a turn.
enum Played {
    /// It was told; at its end the controller lived, or was dead.
    Told { dead: bool },
    /// The controller was dead before it could do anything. Its namespace may be there.
    NotBegun { named: bool },
    /// The controller died.
    Bereft(Box<CaseReport>),
}

impl Run<'_> {
    /// Plays turns side by side, however often the controller dies.
    pub(super) async fn play(&self, play: &Play<'_>, turns: Vec<Turn<'_>>, jobs: usize) {
        self.play_all(play, turns.into_iter().map(|turn| Go { turn, take: 1 }).collect(), jobs).await;
    }

    /// Returns the cases that fail because the controller died.
    fn play_all<'a>(&'a self, play: &'a Play<'_>, turns: Vec<Go<'a>>, jobs: usize) -> BoxFuture<'a, Vec<String>> {
        Box::pin(async move {
            let (mut waiting, mut blamed) = (turns, Vec::new());
            while !waiting.is_empty() {
                let places = Semaphore::new(jobs);
                let mut going = Vec::new();
                // Who wants one case at a time wants nothing beside it, be it only watched.
                let at_once = if jobs > 1 { jobs * WATCHED_BESIDE } else { 1 };
                for go in mem::take(&mut waiting) {
                    going.push(self.go(play, go, Some(&places)));
                }
                let played: Vec<(Go<'_>, Played)> = stream::iter(going).buffer_unordered(at_once).collect().await;
                let Some(dead) = play.dead() else {
                    self.cut_off(play, played);
                    continue;
                };
                let (mut bereft, mut cases) = (Vec::new(), Vec::new());
                for (go, played) in played {
                    match played {
                        Played::Bereft(report) => bereft.push((go, report)),
                        Played::Told { dead: true } => cases.push(named(&go.turn)),
                        Played::Told { dead: false } => {}
                        Played::NotBegun { named } => waiting.push(Go { take: go.take + u32::from(named), ..go }),
                    }
                }
                cases.extend(bereft.iter().map(|(go, _)| named(&go.turn)));
                let is_sure = cases.len() == 1 && bereft.len() == 1;
                let guilty = if is_sure { cases.clone() } else { Vec::new() };
                blamed.extend(guilty.iter().cloned());
                self.tell_death(play, &dead, cases, guilty).await;
                let rises = self.raise(play, bereft.iter().map(|(_, report)| report.namespace.as_str())).await;
                let suspects: Vec<Go<'_>> = bereft.iter().map(|(go, _)| Go { take: go.take + 1, ..*go }).collect();
                if is_sure {
                    bereft.into_iter().for_each(|(_, report)| self.finish(play, *report));
                } else if rises.is_ok() {
                    blamed.extend(self.try_each(play, suspects).await);
                } else {
                    waiting.extend(suspects);
                }
                if let Err(because) = rises {
                    self.lose(play.plan, because.clone(), Some(dead));
                    play.stop.send_replace(Some(because));
                }
            }
            blamed
        })
    }

    /// Each suspect alone, on a controller that has just been started.
    async fn try_each(&self, play: &Play<'_>, suspects: Vec<Go<'_>>) -> Vec<String> {
        let any = !suspects.is_empty();
        let mut repeated_by = Vec::new();
        for suspect in suspects {
            repeated_by.extend(self.play_all(play, vec![suspect], 1).await);
        }
        if any {
            let (cell, repeated_by) = (play.stage.cell.id.clone(), repeated_by.clone());
            self.telling.tell(EventKind::SuspectsTried { cell, repeated_by });
        }
        repeated_by
    }

    /// One turn, unless the controller is dead.
    async fn go<'c>(&self, play: &Play<'_>, go: Go<'c>, places: Option<&Semaphore>) -> (Go<'c>, Played) {
        let place = match places {
            // Nobody closes it.
            Some(places) => places.acquire().await.ok(),
            None => None,
        };
        if play.dead().is_some() && play.stop.borrow().is_none() {
            return (go, Played::NotBegun { named: false });
        }
        let (cell, turn) = (play.stage.cell.id.clone(), go.turn);
        if let Some(because) = self.held_back(play.stop) {
            self.telling.incomplete(&cell, &turn, because, None);
            return (go, Played::Told { dead: false });
        }
        let (case, attempt, name) = (turn.case.about().id, turn.attempt, named(&turn));
        self.telling.tell(EventKind::CaseStarted { cell: cell.clone(), case, attempt });
        play.begins(&name);
        let take = Take { attempt, number: go.take };
        let ran = run_take(play.stage, turn.case, take, play.stop.subscribe(), place).await;
        let dead = play.dead().is_some();
        let played = match ran {
            Ok(report) if dead && matches!(report.ending, Ending::Death(_)) => Played::Bereft(Box::new(report)),
            Err(incomplete) if dead && incomplete.timeline.is_none() && go.take < TAKES => {
                Played::NotBegun { named: true }
            }
            Ok(report) => {
                self.finish(play, report);
                Played::Told { dead }
            }
            Err(incomplete) => {
                self.telling.incomplete(&cell, &turn, incomplete.because, incomplete.timeline);
                Played::Told { dead }
            }
        };
        self.tell_panics(play, LogReading::Interim).await;
        play.ends(&name);
        (go, played)
    }

    /// A recording that ended with the controller where more than the controller has ended says nothing.
    fn cut_off(&self, play: &Play<'_>, played: Vec<(Go<'_>, Played)>) {
        for (go, played) in played {
            let timeline = match played {
                Played::Told { .. } => continue,
                Played::NotBegun { .. } => None,
                Played::Bereft(report) => Some(report.timeline),
            };
            let because = play.stage.cluster.unexpected_exit().borrow().as_ref().map(ToString::to_string);
            let because = because.unwrap_or_else(|| "the controller ended, and runs again".to_owned());
            self.telling.incomplete(&play.stage.cell.id, &go.turn, because, timeline);
        }
    }

    fn finish(&self, play: &Play<'_>, report: CaseReport) {
        let verdict = report.judgement.verdict;
        self.learn(play, &report);
        self.telling.outcome(|outcome| outcome.count(verdict));
        self.failed.take(&report.cell, report.case, verdict);
        if verdict == Verdict::Fail {
            play.failed.store(true, Ordering::Relaxed);
        }
        self.telling.tell(EventKind::CaseFinished(Box::new(report)));
    }

    /// What a case teaches about waits.
    fn learn(&self, play: &Play<'_>, report: &CaseReport) {
        let waits = &play.stage.waits;
        match (report.judgement.verdict, &report.ending) {
            (Verdict::Pass | Verdict::Deviates, _) => waits.came(report.waited),
            (_, Ending::Stalled { .. }) => waits.in_vain(),
            _ => {}
        }
        if let Some(shortened) = waits.news() {
            let cell = play.stage.cell.id.clone();
            self.telling.tell(EventKind::PatienceShortened { cell, shortened });
        }
    }

    /// Removes what the suspects have made, and starts the controller again.
    async fn raise(&self, play: &Play<'_>, namespaces: impl Iterator<Item = &str>) -> Result<(), String> {
        let stopped = play.stop.borrow().clone();
        if let Some(because) = stopped {
            return Err(because);
        }
        for namespace in namespaces {
            clear(&play.stage.cluster.client(), namespace).await;
        }
        let failed = |error| {
            format!("the controller does not start again after its death: {}", crate::error_text::in_full(&error))
        };
        play.stage.subject.restart().await.map_err(failed)?;
        let mut ears = play.ears();
        (ears.has_heard, ears.is_told) = (false, false);
        Ok(())
    }

    /// A turn in a cluster of its own, which is thrown away after it.
    pub(super) async fn play_alone(&self, play: &Play<'_>, turn: Turn<'_>) {
        let (_, played) = self.go(play, Go { turn, take: 1 }, None).await;
        match (played, play.dead()) {
            (Played::Bereft(report), Some(dead)) => {
                self.tell_death(play, &dead, vec![named(&turn)], vec![named(&turn)]).await;
                self.finish(play, *report);
            }
            (Played::Told { dead: true }, Some(dead)) => {
                self.tell_death(play, &dead, vec![named(&turn)], Vec::new()).await
            }
            (played, _) => self.cut_off(play, vec![(Go { turn, take: 1 }, played)]),
        }
    }
}

/// A case as breakdowns name it.
fn named(turn: &Turn<'_>) -> String {
    let id = turn.case.about().id;
    if turn.attempt > 1 { format!("{id} #{}", turn.attempt) } else { id.to_owned() }
}
