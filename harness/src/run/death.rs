//! A controller under test that dies or panics while cases run: who did it, and how the others go on.
//!
//! # Guarantees
//! A case during which the controller dies while no other runs fails. Where several ran, each is tried again alone on a
//! controller that was started again; if it lives through all of them, the run fails and names them. What the suspects had
//! made is removed before, so that no case suffers from another's. A controller that does not start again loses the cell.

use super::{
    Breakdown, CaseReport, CellPlan, EventKind, Turn,
    execute::{Take, clear, run_take},
    ongoing::{Run, Went},
    prepared_cell::PreparedCell,
};
use crate::cluster::{Component, UnexpectedExit, last_words};
use futures::{StreamExt as _, future::BoxFuture, stream};
use jobsworth_oracle::{Ending, Verdict};
use std::{
    collections::BTreeSet,
    mem,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// As many lines of a panic are quoted that the controller survived.
const QUOTED: usize = 6;

/// How long a program may take to end after the first line of its panic.
const MOMENT: Duration = Duration::from_secs(2);
/// How often a case is begun that a dead controller keeps from beginning.
const TAKES: u32 = 4;

/// A cluster while cases are played on it.
pub(super) struct Play<'p> {
    pub plan: &'p CellPlan<'p>,
    pub stage: &'p PreparedCell,
    pub stop: &'p watch::Sender<Option<String>>,
    failed: AtomicBool,
    broke: AtomicBool,
    ears: Mutex<Ears>,
}

/// What has been heard of the controller.
#[derive(Default)]
struct Ears {
    /// As much of its log was read.
    read: usize,
    running: BTreeSet<String>,
    /// Cases that ran since the log was read.
    since: BTreeSet<String>,
    /// What it wrote at deaths of which the panics in its log are not yet told apart.
    deaths: Vec<UnexpectedExit>,
    /// Panics of which it is not known yet whether it survived them.
    pending: Vec<Breakdown>,
    /// Panics that were told: a controller that tries again panics again.
    known: BTreeSet<String>,
    /// Whether the last one is among them.
    has_heard: bool,
    /// Whether it was told.
    is_told: bool,
}

/// Whether somebody looks at the log again later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogReading {
    Interim,
    Last,
}

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

impl<'p> Play<'p> {
    pub fn new(plan: &'p CellPlan<'p>, stage: &'p PreparedCell, stop: &'p watch::Sender<Option<String>>) -> Self {
        Self {
            plan,
            stage,
            stop,
            failed: AtomicBool::new(false),
            broke: AtomicBool::new(false),
            ears: Mutex::default(),
        }
    }

    fn ears(&self) -> MutexGuard<'_, Ears> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the controller died, if it is dead.
    fn dead(&self) -> Option<UnexpectedExit> {
        self.stage.cluster.unexpected_exit().borrow().clone().filter(UnexpectedExit::is_subject)
    }

    fn begins(&self, name: &str) {
        let mut ears = self.ears();
        ears.running.insert(name.to_owned());
        ears.since.insert(name.to_owned());
    }

    fn ends(&self, name: &str) {
        self.ears().running.remove(name);
    }

    /// Panics that it has survived for sure: what is fresh in its log may be the beginning of its end, and waits until
    /// somebody looks again, unless this is the last time.
    fn panics(&self, reading: LogReading) -> Vec<Breakdown> {
        let dead = self.dead();
        let mut ears = self.ears();
        ears.has_heard &= dead.is_some();
        if let Some(dead) = dead.filter(|_| !mem::replace(&mut ears.has_heard, true)) {
            ears.deaths.push(dead);
        }
        let log = std::fs::read(self.stage.cluster.site().log(Component::Subject)).unwrap_or_default();
        // A log that reached its limit was cut.
        ears.read = ears.read.min(log.len());
        let fresh = log.get(ears.read..).unwrap_or_default();
        // Half a line is left for the next time.
        let whole = fresh.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let panics = last_words::panics(&String::from_utf8_lossy(&fresh[..whole]), QUOTED);
        ears.read += whole;
        let running = ears.running.clone();
        let cases: Vec<String> = mem::replace(&mut ears.since, running).into_iter().collect();
        let before = mem::take(&mut ears.pending);
        let (waited, found) = (before.len(), panics.into_iter().map(|lines| panicked(lines, &cases)));
        let all: Vec<Breakdown> = before.into_iter().chain(found).collect();
        let mut told = Vec::new();
        for (place, panic) in survived(all, &mut ears.deaths) {
            if reading == LogReading::Interim && place >= waited {
                ears.pending.push(panic);
            } else if ears.known.insert(last_words::identity(&panic.lines)) {
                told.push(panic);
            }
        }
        told
    }
}

fn panicked(lines: Vec<String>, cases: &[String]) -> Breakdown {
    Breakdown { died: None, lines, cases: cases.to_vec(), blamed: Vec::new() }
}

/// Those of the panics that are no deaths, each with its place among all.
fn survived(panics: Vec<Breakdown>, deaths: &mut Vec<UnexpectedExit>) -> Vec<(usize, Breakdown)> {
    let is_death = |panic: &Breakdown, deaths: &mut Vec<UnexpectedExit>| {
        let at =
            deaths.iter().position(|death| panic.lines.first().is_some_and(|line| death.last_lines.contains(line)));
        at.map(|at| deaths.remove(at)).is_some()
    };
    // The panic that ended it is the last of those that read alike.
    let last_first = panics.into_iter().enumerate().rev();
    let mut told: Vec<(usize, Breakdown)> = last_first.filter(|(_, panic)| !is_death(panic, deaths)).collect();
    told.reverse();
    told
}

impl Run<'_> {
    /// A component that ended unasked loses the cell; a controller that did so after its last case fails the run.
    pub(super) fn tell_casualty(&self, play: &Play<'_>) {
        let unexpected_exit = play.stage.cluster.unexpected_exit().borrow().clone();
        match unexpected_exit {
            Some(dead) if dead.is_subject() => self.tell_late_death(play, &dead),
            Some(lost) => self.lose(play.plan, lost.in_full(), Some(lost)),
            None => {}
        }
    }

    /// Plays turns side by side, however often the controller dies.
    pub(super) async fn play(&self, play: &Play<'_>, turns: Vec<Turn<'_>>, jobs: usize) {
        self.play_all(play, turns.into_iter().map(|turn| Go { turn, take: 1 }).collect(), jobs).await;
    }

    /// Returns the cases that fail because the controller died.
    fn play_all<'a>(&'a self, play: &'a Play<'_>, turns: Vec<Go<'a>>, jobs: usize) -> BoxFuture<'a, Vec<String>> {
        Box::pin(async move {
            let (mut waiting, mut blamed) = (turns, Vec::new());
            while !waiting.is_empty() {
                let mut going = Vec::new();
                for go in mem::take(&mut waiting) {
                    going.push(self.go(play, go));
                }
                let played: Vec<(Go<'_>, Played)> = stream::iter(going).buffer_unordered(jobs).collect().await;
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
                self.tell_death(play, &dead, cases, guilty);
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
    async fn go<'c>(&self, play: &Play<'_>, go: Go<'c>) -> (Go<'c>, Played) {
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
        let ran = run_take(play.stage, turn.case, take, play.stop.subscribe()).await;
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
        self.tell_panics(play, LogReading::Interim);
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

    fn tell_death(&self, play: &Play<'_>, dead: &UnexpectedExit, cases: Vec<String>, blamed: Vec<String>) {
        self.tell_panics(play, LogReading::Interim);
        play.ears().is_told = true;
        let breakdown = Breakdown { died: Some(dead.how()), lines: dead.last_lines.clone(), cases, blamed };
        self.tell_breakdown(play, breakdown);
    }

    /// A death after the last case, unless it was told at that case's end.
    pub(super) fn tell_late_death(&self, play: &Play<'_>, dead: &UnexpectedExit) {
        if !play.ears().is_told {
            self.tell_death(play, dead, Vec::new(), Vec::new());
        }
    }

    fn tell_panics(&self, play: &Play<'_>, reading: LogReading) {
        play.panics(reading).into_iter().for_each(|breakdown| self.tell_breakdown(play, breakdown));
    }

    fn tell_breakdown(&self, play: &Play<'_>, breakdown: Breakdown) {
        play.broke.store(true, Ordering::Relaxed);
        self.telling.outcome(|outcome| outcome.breakdowns += 1);
        self.telling.tell(EventKind::ControllerBroke { cell: play.stage.cell.id.clone(), breakdown });
    }

    /// The last look at a cell's controller: whether it has died since its last case, and what stands in a log that is
    /// read only once. Says how the cell's cases went.
    pub(super) async fn last_look(&self, play: &Play<'_>) -> Went {
        self.tell_panics(play, LogReading::Interim);
        let is_unsure = !play.ears().pending.is_empty();
        if is_unsure {
            let mut unexpected_exit = play.stage.cluster.unexpected_exit();
            // Whoever panics and ends does so within a moment; if it does not, it has survived.
            let _ = tokio::time::timeout(MOMENT, crate::cluster::unexpected(&mut unexpected_exit)).await;
        }
        self.tell_casualty(play);
        self.tell_panics(play, LogReading::Last);
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

    /// A turn in a cluster of its own, which is thrown away after it.
    pub(super) async fn play_alone(&self, play: &Play<'_>, turn: Turn<'_>) {
        let (_, played) = self.go(play, Go { turn, take: 1 }).await;
        match (played, play.dead()) {
            (Played::Bereft(report), Some(dead)) => {
                self.tell_death(play, &dead, vec![named(&turn)], vec![named(&turn)]);
                self.finish(play, *report);
            }
            (Played::Told { dead: true }, Some(dead)) => self.tell_death(play, &dead, vec![named(&turn)], Vec::new()),
            (played, _) => self.cut_off(play, vec![(Go { turn, take: 1 }, played)]),
        }
    }
}

/// A case as breakdowns name it.
fn named(turn: &Turn<'_>) -> String {
    let id = turn.case.about().id;
    if turn.attempt > 1 { format!("{id} #{}", turn.attempt) } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(of: &[&str]) -> Vec<String> {
        of.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn the_panic_that_killed_it_is_no_survived_one_and_the_same_before_it_is() {
        let panic = lines(&["thread 'main' panicked at x:", "why"]);
        let died = |status: &str| UnexpectedExit {
            component: Component::Subject,
            status: status.to_owned(),
            last_lines: lines(&["fine", "thread 'main' panicked at x:", "why"]),
        };
        let mut deaths = vec![died("exit status: 101")];
        let panics = [1, 2].map(|_| panicked(panic.clone(), &lines(&["suite/case"])));
        let told = survived(panics.to_vec(), &mut deaths);
        assert_eq!(told, [(0, panicked(panic, &lines(&["suite/case"])))], "two panics and one death");
        assert!(deaths.is_empty(), "a death takes one panic with it");
    }
}
