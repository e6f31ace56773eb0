//! A cluster while cases are played on it, and what is heard there of the controller.

use super::{Breakdown, CellPlan, prepared_cell::PreparedCell};
use crate::cluster::{Component, UnexpectedExit, last_words};
use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    mem,
    path::Path,
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
    /// As much of the controller's log was read; who reads it holds this meanwhile.
    read: tokio::sync::Mutex<u64>,
}

/// What has been heard of the controller.
#[derive(Default)]
pub(super) struct Ears {
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
            read: tokio::sync::Mutex::default(),
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
    pub async fn panics(&self, reading: LogReading) -> Vec<Breakdown> {
        // Cases that end together look one after the other: each finds what the one before it left.
        let mut read = self.read.lock().await;
        self.hear_of_death();
        let fresh = self.fresh(&mut read).await;
        self.told_apart(&fresh, reading)
    }

    fn hear_of_death(&self) {
        let dead = self.dead();
        let mut ears = self.ears();
        ears.has_heard &= dead.is_some();
        if let Some(dead) = dead.filter(|_| !mem::replace(&mut ears.has_heard, true)) {
            ears.deaths.push(dead);
        }
    }

    /// What the controller has written since its log was read. Where there is no log there is nothing to hear.
    async fn fresh(&self, read: &mut u64) -> String {
        let (log, from) = (self.stage.cluster.site().log(Component::Subject), *read);
        let Ok(Ok((from, lines))) = tokio::task::spawn_blocking(move || added(&log, from)).await else {
            return String::new();
        };
        *read = from + lines.len() as u64;
        String::from_utf8_lossy(&lines).into_owned()
    }

    fn told_apart(&self, fresh: &str, reading: LogReading) -> Vec<Breakdown> {
        let panics = last_words::panics(fresh, QUOTED);
        let mut ears = self.ears();
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

/// The lines that came after so many bytes of a log, and where they begin: a log that reached its limit was cut, and is shorter. Half a
/// line is left for the next time.
fn added(log: &Path, read: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut log = File::open(log)?;
    let from = read.min(log.metadata()?.len());
    log.seek(SeekFrom::Start(from))?;
    let mut lines = Vec::new();
    log.read_to_end(&mut lines)?;
    let whole = lines.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    lines.truncate(whole);
    Ok((from, lines))
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
    use rstest::rstest;
    use std::io::Write as _;

    fn lines(of: &[&str]) -> Vec<String> {
        of.iter().map(|line| (*line).to_owned()).collect()
    }

    #[rstest]
    #[case::from_the_beginning(0, "one\ntwo\nthr", (0, "one\ntwo\n"))]
    #[case::after_what_was_read(4, "one\ntwo\nthr", (4, "two\n"))]
    #[case::half_a_line_waits_for_its_end(8, "one\ntwo\nthr", (8, ""))]
    #[case::a_log_that_was_cut_goes_on_at_its_end(100, "one\n", (4, ""))]
    fn lines_that_were_added_to_a_log(#[case] read: u64, #[case] log: &str, #[case] wanted: (u64, &str)) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(log.as_bytes()).unwrap();
        let (from, lines) = added(file.path(), read).unwrap();
        assert_eq!((from, String::from_utf8(lines).unwrap().as_str()), wanted);
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
