//! What became of a sweep: `sweep.json`. Fields may be added under the same number of the schema.

use super::{baseline::Baseline, point::Fate};
use crate::report::{Deviations, Exit, schema::BreakdownRecord};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The schema of `sweep.json`.
pub const SWEEP: &str = "jobsworth/sweep/v1";

/// A sweep so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRecord {
    /// Always `jobsworth/sweep/v1`.
    pub schema: String,
    /// Name of the cell.
    pub cell: String,
    /// Seed by which points are drawn.
    pub seed: u64,
    /// How many points there are in all, over all cases and fates.
    pub of: usize,
    /// What points are drawn from, in the order of the table. A sweep that was begun before there were conflicts goes on
    /// without them: with one fate more the seed would give other points.
    #[serde(default = "Fate::without_conflicts")]
    pub fates: Vec<Fate>,
    /// Writes without faults, by case.
    pub writes: BTreeMap<String, Vec<String>>,
    /// The points that have a verdict, in the order in which they were drawn.
    pub points: Vec<PointRecord>,
    /// Points that were drawn and have no verdict. They are played again when the sweep goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<UnjudgedPoint>,
    /// Cases that did not hold without faults: no point of them can be compared with anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseless: Vec<BaselessCase>,
    /// Deaths of the controller, and panics that it survived, for which no case fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breakdowns: Vec<PartBreakdown>,
}

/// What became of one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointRecord {
    /// Its id.
    pub id: String,
    /// The case that it is made of.
    pub case: String,
    /// Which write, counted from 1.
    pub write: u32,
    /// What happened there.
    pub fate: Fate,
    /// What came of it.
    pub outcome: Outcome,
    /// Sentences that were broken, after what is known of it if something is; or why nobody can tell.
    pub because: Vec<String>,
    /// Its timeline, relative to the sweep's folder.
    pub timeline: String,
}

/// A point that did not come to its end, or never began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnjudgedPoint {
    /// Its id.
    pub id: String,
    /// The case that it is made of.
    pub case: String,
    /// Which write, counted from 1.
    pub write: u32,
    /// What was to happen there.
    pub fate: Fate,
    /// Why there is no verdict.
    pub because: String,
    /// Its timeline so far, relative to the sweep's folder, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
}

/// A case that did not hold without faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselessCase {
    /// Its id.
    pub case: String,
    /// Whether something was broken, or nobody can tell.
    pub outcome: Outcome,
    /// Sentences that were broken, or why nobody can tell.
    pub because: Vec<String>,
    /// Its timeline, relative to the sweep's folder, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
}

/// A breakdown of the controller, in one of the runs that a sweep is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartBreakdown {
    /// The run's folder below the sweep's.
    pub part: String,
    /// What happened.
    #[serde(flatten)]
    pub breakdown: BreakdownRecord,
}

/// What came of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything held.
    Held,
    /// There was no such write in that run: what is read together is counted together.
    NotReached,
    /// Nobody can tell.
    Undecided,
    /// What was broken is known of this controller in this version, and nothing else was.
    Deviates,
    /// Something was broken.
    Broken,
}

impl SweepRecord {
    /// A sweep of this cell, before its first case.
    #[must_use]
    pub fn new(cell: String, seed: u64) -> Self {
        Self {
            schema: SWEEP.to_owned(),
            cell,
            seed,
            of: 0,
            fates: Fate::ALL.to_vec(),
            writes: BTreeMap::new(),
            points: Vec::new(),
            unjudged: Vec::new(),
            baseless: Vec::new(),
            breakdowns: Vec::new(),
        }
    }

    /// How many points came to this.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.points.iter().filter(|point| point.outcome == outcome).count()
    }

    /// Ids of the points that need not be played again.
    #[must_use]
    pub fn done(&self) -> BTreeSet<String> {
        self.points.iter().map(|point| point.id.clone()).collect()
    }

    /// Takes in what a case does without faults. Other cases stay: an earlier part of the sweep may have had them.
    pub fn learn(&mut self, case: &str, found: &Result<Baseline, BaselessCase>) {
        self.baseless.retain(|known| known.case != case);
        match found {
            Ok(baseline) => drop(self.writes.insert(case.to_owned(), baseline.writes.clone())),
            Err(baseless) => self.baseless.push(baseless.clone()),
        }
        let fates_of = |write: &String| self.fates.iter().filter(|fate| fate.can_meet(write)).count();
        self.of = self.writes.values().flatten().map(fates_of).sum();
    }

    /// Takes in breakdowns of the controller, each once.
    pub fn hear(&mut self, breakdowns: &[PartBreakdown]) {
        for breakdown in breakdowns {
            if !self.breakdowns.contains(breakdown) {
                self.breakdowns.push(breakdown.clone());
            }
        }
    }

    /// Takes in what came of a point that was drawn.
    pub fn enter(&mut self, point: Result<PointRecord, UnjudgedPoint>) {
        let id = match &point {
            Ok(judged) => &judged.id,
            Err(unjudged) => &unjudged.id,
        };
        self.unjudged.retain(|known| known.id != *id);
        match point {
            Ok(judged) => self.points.push(judged),
            Err(unjudged) => self.unjudged.push(unjudged),
        }
    }

    /// How a sweep ends whose runs have just ended so: the worst of them and of what is in the record, earlier parts included.
    #[must_use]
    pub fn exit(&self, runs: &[Exit], deviations: Deviations) -> Exit {
        let so_far = self.so_far(deviations);
        runs.iter().copied().fold(so_far, |worst, exit| if weight(exit) > weight(worst) { exit } else { worst })
    }

    fn so_far(&self, deviations: Deviations) -> Exit {
        let deviating = self.count(Outcome::Deviates);
        let fails = self.baseless.iter().any(|case| case.outcome == Outcome::Broken);
        let is_strict = deviations == Deviations::Fail && deviating > 0;
        if self.count(Outcome::Broken) > 0 || fails || is_strict || !self.breakdowns.is_empty() {
            return Exit::Broken;
        }
        let is_open = self.count(Outcome::Undecided) > 0 || !self.unjudged.is_empty() || !self.baseless.is_empty();
        if is_open || self.count(Outcome::Held) + deviating == 0 { Exit::Undecided } else { Exit::Held }
    }
}

/// Which exit decides where several apply: the order of [`causes`](crate::report::exit::causes).
const fn weight(exit: Exit) -> u8 {
    match exit {
        Exit::Held => 0,
        Exit::Missed => 1,
        Exit::Undecided => 2,
        Exit::Broken => 3,
        Exit::Misuse => 4,
        Exit::Stopped(_) => 5,
    }
}

#[cfg(test)]
mod tests;
