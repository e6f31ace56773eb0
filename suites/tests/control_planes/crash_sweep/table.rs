//! The table that a sweep ends with.

use jobsworth_harness::faults::Fault;
use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

/// What became of the points of one scenario under one fault.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    points: u32,
    passed: u32,
    unreached: u32,
}

/// All scenarios under all faults.
#[derive(Debug, Default)]
pub struct Table {
    writes: BTreeMap<&'static str, u32>,
    tallies: BTreeMap<(&'static str, Fault), Tally>,
}

impl Table {
    /// A scenario takes so many writes without faults.
    pub fn takes(&mut self, scenario: &'static str, writes: u32) {
        self.writes.insert(scenario, writes);
    }

    /// One point more.
    pub fn point(&mut self, scenario: &'static str, fault: Fault, passed: bool, reached: bool) {
        let tally = self.tallies.entry((scenario, fault)).or_default();
        tally.points += 1;
        tally.passed += u32::from(passed && reached);
        tally.unreached += u32::from(!reached);
    }

    /// Points, those that passed, and those at which there was no such write in that run.
    pub fn sums(&self) -> (u32, u32, u32) {
        self.tallies.values().fold((0, 0, 0), |(points, passed, unreached), tally| {
            (points + tally.points, passed + tally.passed, unreached + tally.unreached)
        })
    }

    /// The table as Markdown.
    pub fn text(&self, faults: &[Fault], took: Duration) -> String {
        let heads: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let mut text =
            format!("| scenario | writes | {} |\n|---|---|{}\n", heads.join(" | "), "---|".repeat(faults.len()));
        for (scenario, writes) in &self.writes {
            let _ = write!(text, "| {scenario} | {writes} |");
            for fault in faults {
                let tally = self.tallies.get(&(*scenario, *fault)).copied().unwrap_or_default();
                let _ = match tally.unreached {
                    0 => write!(text, " {}/{} |", tally.passed, tally.points),
                    missed => write!(text, " {}/{} ({missed} not reached) |", tally.passed, tally.points),
                };
            }
            text.push('\n');
        }
        let (points, passed, unreached) = self.sums();
        let _ = writeln!(text, "\n{points} points, {passed} passed, {unreached} not reached, {} s", took.as_secs());
        text
    }
}
