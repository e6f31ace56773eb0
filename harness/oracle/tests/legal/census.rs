//! How many histories there were, of how many shapes, and how often each invariant had something to judge.

use super::history::History;
use jobsworth_oracle::{Check, Ending, invariants};
use jobsworth_race_model::{Encounter, Legal, encounters};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// One history, judged.
pub struct Entry {
    shape: u64,
    entries: usize,
    /// How each invariant judged it, in their order.
    judged: Vec<How>,
    met: Vec<Encounter>,
    is_whole: bool,
    /// What is wrong: invariants that were broken, ends that the model does not have.
    pub wrong: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Held,
    /// There was nothing to judge, or not enough of it.
    Vacuous,
    Broken,
}

impl Entry {
    pub fn of(history: &History) -> Self {
        let timeline = &history.timeline;
        let mut wrong = history.misjudged.clone();
        let judged = invariants::ALL.iter().map(|invariant| match invariant.check(timeline) {
            Check::Held => How::Held,
            Check::Vacuous(_) => How::Vacuous,
            Check::Broken(breach) => {
                let (id, at) = (invariant.id(), breach.revision);
                wrong.push(format!("{id} at {at}: expected {}; saw {}", breach.expected, breach.observed));
                How::Broken
            }
        });
        Self {
            shape: history.shape,
            entries: timeline.entries().len(),
            judged: judged.collect(),
            met: history.met.clone(),
            is_whole: timeline.gap().is_none() && timeline.ending == Ending::Complete,
            wrong,
        }
    }
}

#[derive(Default)]
pub struct Census {
    histories: u64,
    entries: usize,
    whole: u64,
    shapes: BTreeSet<u64>,
    held: BTreeMap<&'static str, u64>,
    vacuous: BTreeMap<&'static str, u64>,
    met: BTreeMap<Encounter, u64>,
}

/// Invariants of what the generator does not tell: its controllers write no Events (W10 has histories of its own in `breaking/events.rs`), and
/// none of them is one of several instances (S30, in `breaking/elections.rs`).
const UNTOLD: [&str; 2] = ["S30", "W10"];

impl Census {
    pub fn take(&mut self, entry: Entry) {
        self.histories += 1;
        self.entries += entry.entries;
        self.whole += u64::from(entry.is_whole);
        self.shapes.insert(entry.shape);
        for (invariant, how) in invariants::ALL.iter().zip(entry.judged) {
            let count = if how == How::Held { &mut self.held } else { &mut self.vacuous };
            *count.entry(invariant.id()).or_default() += 1;
        }
        for encounter in entry.met {
            *self.met.entry(encounter).or_default() += 1;
        }
    }

    pub fn histories(&self) -> u64 {
        self.histories
    }

    fn held(&self, id: &str) -> u64 {
        self.held.get(id).copied().unwrap_or_default()
    }

    /// The table, for whoever wants to quote it.
    pub fn table(&self, seed: u64) -> String {
        let Self { histories, entries, whole, .. } = self;
        let (shapes, met) = (self.shapes.len(), self.met.len());
        let possible = encounters().filter(|encounter| matches!(encounter.legal(), Legal::OneOf(_))).count();
        let mut text = format!(
            "{histories} legal histories of seed {seed}: 0 judged fail, {shapes} distinct shapes, {entries} entries, \
             {whole} whole recordings\n{met} of {possible} encounters of the race model met, every end as it says\n"
        );
        for invariant in invariants::ALL {
            let id = invariant.id();
            let vacuous = self.vacuous.get(id).copied().unwrap_or_default();
            let _ = writeln!(text, "{id}  held {:>7}  nothing to judge {vacuous:>7}", self.held(id));
        }
        text
    }

    /// That there was something to judge. Too few histories, as when one of them is repeated, need not have it all.
    pub fn assert_enough(&self) {
        if self.histories < 2000 {
            return;
        }
        for invariant in invariants::ALL.iter().filter(|invariant| !UNTOLD.contains(&invariant.id())) {
            let held = self.held(invariant.id());
            assert!(
                held * 200 >= self.histories,
                "{} had {held} occasions in {} histories",
                invariant.id(),
                self.histories
            );
        }
        assert!(self.shapes.len() as u64 * 10 >= self.histories * 9, "only {} shapes", self.shapes.len());
    }
}
