//! Stretches of a recording in which the subject could act again: after it had been killed, or after its watches had been interfered with.
//!
//! One begins when the subject is ready, or when its watches may speak, and lasts until the case next does something to the subject, to its
//! watches or to its requests. Older recordings do not say when a subject was ready: there it is when the first request of it came.

use super::{asked::Asked, standstill::DISTURBING};
use crate::{
    fact::{Entry, Fact},
    timeline::{Ending, READY_AGAIN, Timeline},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// So many times watches were refused where an older recording does not say it, at the most.
const UNTOLD: u32 = 3;

/// What had been done to the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It was killed and started again.
    Restart,
    /// Its watches were cut, answered with 410, or held until they were let go.
    Watches,
}

/// A stretch in which nothing keeps the subject from acting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    pub(super) after: After,
    /// When it was started, or its watches let go.
    pub(super) began: Duration,
    /// When it was ready.
    pub(super) since: Duration,
    pub(super) until: Duration,
    /// How often watches of one resource had been ended until it began, at the most.
    pub(super) endings: u32,
}

/// All stretches, in order.
pub(super) fn stretches(timeline: &Timeline, asked: &Asked<'_>) -> Vec<Freed> {
    let marks = marks(timeline);
    let end = end(timeline, &marks);
    let mut stretches = Vec::new();
    let mut bonds = Bonds::default();
    for (place, (began, mark)) in marks.iter().enumerate().filter(|(_, (_, mark))| disturbs(mark)) {
        bonds.change(mark);
        let rest = &marks[place + 1..];
        let until = rest.iter().find(|(_, later)| disturbs(later)).map_or(end, |(at, _)| *at).min(end);
        let (after, since) = match *mark {
            "subject restarted" => (After::Restart, ready(*began, rest, asked)),
            _ if mark.starts_with("watches ") => (After::Watches, Some(*began)),
            _ => continue,
        };
        let is_free = !bonds.is_bound();
        stretches.extend(since.filter(|since| is_free && *since < until).map(|since| Freed {
            after,
            began: *began,
            since,
            until,
            endings: bonds.endings.values().copied().max().unwrap_or_default(),
        }));
    }
    stretches
}

/// When a subject that was started then could act.
fn ready(began: Duration, rest: &[(Duration, &str)], asked: &Asked<'_>) -> Option<Duration> {
    let told = rest.iter().take_while(|(_, mark)| *mark != "subject crashed").find(|(_, mark)| *mark == READY_AGAIN);
    let asks = || asked.all.iter().map(|(_, request)| request.sent()).find(|sent| *sent > began);
    told.map(|(at, _)| *at).or_else(asks)
}

fn disturbs(mark: &str) -> bool {
    DISTURBING.iter().any(|what| mark.starts_with(what))
}

/// What is done to the subject, by what the marks say.
#[derive(Default)]
struct Bonds<'m> {
    is_dead: bool,
    held: BTreeSet<&'m str>,
    /// Something happens to its requests, which may never be over.
    refused: bool,
    met: usize,
    /// How often watches of a resource were ended.
    endings: BTreeMap<&'m str, u32>,
}

impl<'m> Bonds<'m> {
    fn change(&mut self, mark: &'m str) {
        let on = |words: &'m str| words.split_whitespace().next().unwrap_or_default();
        if let Some(words) = mark.strip_prefix("watches held: ") {
            self.held.insert(on(words));
        } else if let Some(words) = mark.strip_prefix("watches speak again: ") {
            self.held.remove(on(words));
        } else if let Some(on) = mark.strip_prefix("watches cut: ") {
            *self.endings.entry(on).or_default() += 1;
        } else if let Some(words) = mark.strip_prefix("watches expired: ") {
            let (on, times) = words.split_once(", ").unwrap_or((words, ""));
            // The watch that was open is cut, and those that follow are answered with 410.
            let refused: u32 = times.trim_end_matches(" times").parse().unwrap_or(UNTOLD);
            *self.endings.entry(on).or_default() += 1 + refused;
        } else if mark.starts_with("from now on: ") {
            self.met += 1;
        } else if mark.starts_with("let go: ") || (mark.starts_with("it happened: ") && !mark.contains("held")) {
            self.met = self.met.saturating_sub(1);
        } else if mark.starts_with("writes are ") {
            self.refused = mark != "writes are let through";
        } else if mark.starts_with("subject ") {
            self.is_dead = mark != "subject restarted";
        }
    }

    fn is_bound(&self) -> bool {
        self.is_dead || self.refused || self.met > 0 || !self.held.is_empty()
    }
}

/// What the script said, by the time at which it said it, until the control plane changed.
fn marks(timeline: &Timeline) -> Vec<(Duration, &str)> {
    let changed = changed(timeline);
    let mut marks: Vec<_> = timeline.entries().iter().filter(|entry| entry.at < changed).filter_map(said).collect();
    marks.sort_by_key(|(at, _)| *at);
    marks
}

fn said(entry: &Entry) -> Option<(Duration, &str)> {
    match &entry.fact {
        Fact::Mark(mark) => Some((entry.at, mark)),
        _ => None,
    }
}

fn changed(timeline: &Timeline) -> Duration {
    let is_change = |entry: &&Entry| matches!(entry.fact, Fact::Regime(_));
    timeline.entries().iter().filter(is_change).map(|entry| entry.at).min().unwrap_or(Duration::MAX)
}

/// How far the recording is known to go: who waited in vain waited since the last that the script is known to have done before.
fn end(timeline: &Timeline, marks: &[(Duration, &str)]) -> Duration {
    let waited = match &timeline.ending {
        Ending::Stalled { limit, .. } => *limit,
        Ending::CutShort { after, .. } => *after,
        _ => Duration::ZERO,
    };
    // One that is killed at a request is killed while the script waits.
    let is_of_script = |mark: &str| !disturbs(mark) && mark != READY_AGAIN;
    let is_killed_aside = marks.iter().any(|(_, mark)| mark.starts_with("to be killed: "));
    let acts = marks.iter().filter(|(_, mark)| !is_killed_aside || is_of_script(mark)).map(|(at, _)| *at);
    let answers = timeline.entries().iter().filter(|entry| matches!(entry.fact, Fact::Answer(_))).map(|entry| entry.at);
    let act = acts.chain(answers).max().unwrap_or_default();
    let heard = timeline.entries().iter().map(|entry| entry.at).max().unwrap_or_default();
    heard.max(act + waited).min(changed(timeline))
}
