//! A cluster while cases are played on it, and what is heard there of the controller.

use super::{Breakdown, CellPlan, prepared_cell::PreparedCell};
use crate::cluster::{Component, UnexpectedExit, last_words};
use std::{
    collections::BTreeSet,
    mem,
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};
use tokio::sync::watch;

/// As many lines of a panic are quoted that the controller survived.
pub(super) const QUOTED: usize = 6;

/// A cluster while cases are played on it.
pub(super) struct Play<'p> {
    pub plan: &'p CellPlan<'p>,
    pub stage: &'p PreparedCell,
    pub stop: &'p watch::Sender<Option<String>>,
    /// Whether a case failed.
    pub failed: AtomicBool,
    /// Whether the controller died or panicked.
    pub broke: AtomicBool,
    ears: Mutex<Ears>,
}

/// What has been heard of the controller.
#[derive(Default)]
pub(super) struct Ears {
    /// As much of its log was read.
    read: usize,
    running: BTreeSet<String>,
    /// Cases that ran since the log was read.
    since: BTreeSet<String>,
    /// What it wrote at deaths of which the panics in its log are not yet told apart.
    pub deaths: Vec<UnexpectedExit>,
    /// Panics of which it is not known yet whether it survived them.
    pub pending: Vec<Breakdown>,
    /// Panics that were told: a controller that tries again panics again.
    pub known: BTreeSet<String>,
    /// Whether the last one is among them.
    pub has_heard: bool,
    /// Whether it was told.
    pub is_told: bool,
}

/// Whether somebody looks at the log again later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogReading {
    Interim,
    Last,
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

    pub fn ears(&self) -> MutexGuard<'_, Ears> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the controller died, if it is dead.
    pub fn dead(&self) -> Option<UnexpectedExit> {
        self.stage.cluster.unexpected_exit().borrow().clone().filter(UnexpectedExit::is_subject)
    }

    pub fn begins(&self, name: &str) {
        let mut ears = self.ears();
        ears.running.insert(name.to_owned());
        ears.since.insert(name.to_owned());
    }

    pub fn ends(&self, name: &str) {
        self.ears().running.remove(name);
    }

    /// Panics that it has survived for sure: what is fresh in its log may be the beginning of its end, and waits until
    /// somebody looks again, unless this is the last time.
    pub fn panics(&self, reading: LogReading) -> Vec<Breakdown> {
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

pub(super) fn panicked(lines: Vec<String>, cases: &[String]) -> Breakdown {
    Breakdown { died: None, lines, cases: cases.to_vec(), blamed: Vec::new() }
}

/// Those of the panics that are no deaths, each with its place among all.
pub(super) fn survived(panics: Vec<Breakdown>, deaths: &mut Vec<UnexpectedExit>) -> Vec<(usize, Breakdown)> {
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
