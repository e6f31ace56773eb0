//! What became of a sweep: `sweep.json` and `sweep.md`.

use super::point::Fate;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt::Write as _};

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
    /// Writes without faults, by case.
    pub writes: BTreeMap<String, Vec<String>>,
    /// The points that were played, in the order in which they were drawn.
    pub points: Vec<PointRecord>,
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
    /// Sentences that were broken, or why there is no verdict.
    pub because: Vec<String>,
    /// Its timeline, relative to the sweep's folder.
    pub timeline: String,
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
    /// Something was broken.
    Broken,
}

impl SweepRecord {
    /// How many points came to this.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.points.iter().filter(|point| point.outcome == outcome).count()
    }

    /// The table, then every point that did not hold, as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let heads = Fate::ALL.map(|fate| fate.to_string()).join(" | ");
        let mut text = format!("# Crash sweep of {}\n\n", self.cell);
        let _ = writeln!(text, "| case | writes | {heads} |\n|---|---|{}", "---|".repeat(Fate::ALL.len()));
        for (case, writes) in &self.writes {
            let _ = writeln!(
                text,
                "| {case} | {} | {} |",
                writes.len(),
                Fate::ALL.map(|fate| self.cell_of(case, fate)).join(" | ")
            );
        }
        let (held, unreached) = (self.count(Outcome::Held), self.count(Outcome::NotReached));
        let (broken, undecided) = (self.count(Outcome::Broken), self.count(Outcome::Undecided));
        let _ = writeln!(
            text,
            "\n{} of {} points, seed {}: {held} held, {broken} broken, {undecided} undecided, {unreached} not reached.",
            self.points.len(),
            self.of,
            self.seed,
        );
        for point in self.points.iter().filter(|point| matches!(point.outcome, Outcome::Broken | Outcome::Undecided)) {
            let what = self.writes.get(&point.case).and_then(|writes| writes.get(point.write as usize - 1));
            let what = what.map_or("?", String::as_str);
            let _ = writeln!(
                text,
                "\n- **{}**, {} write {} ({what}): `{}`",
                point.case, point.fate, point.write, point.timeline
            );
            for why in &point.because {
                let _ = writeln!(text, "  - {why}");
            }
        }
        text
    }

    /// Held of those that were reached; nothing where none was drawn.
    fn cell_of(&self, case: &str, fate: Fate) -> String {
        let points = || self.points.iter().filter(|point| point.case == case && point.fate == fate);
        let count = |outcome| points().filter(|point| point.outcome == outcome).count();
        let unreached = count(Outcome::NotReached);
        match (points().count() - unreached, unreached) {
            (0, 0) => "–".to_owned(),
            (reached, 0) => format!("{}/{reached}", count(Outcome::Held)),
            (reached, unreached) => format!("{}/{reached} ({unreached} not reached)", count(Outcome::Held)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(write: u32, fate: Fate, outcome: Outcome) -> PointRecord {
        let because = if outcome == Outcome::Broken { vec!["S13: counted twice".to_owned()] } else { Vec::new() };
        let (id, case, timeline) = (format!("a-{write}"), "suite/a".to_owned(), "part-1/t".to_owned());
        PointRecord { id, case, write, fate, outcome, because, timeline }
    }

    #[test]
    fn the_table_has_what_held_and_the_list_what_did_not() {
        let record = SweepRecord {
            schema: SWEEP.to_owned(),
            cell: "1.37.1-builtin".to_owned(),
            seed: 7,
            of: 8,
            writes: [("suite/a".to_owned(), vec!["create pods".to_owned(), "update jobs/status".to_owned()])].into(),
            points: vec![
                point(1, Fate::KilledBefore, Outcome::Held),
                point(2, Fate::KilledBefore, Outcome::Broken),
                point(2, Fate::AnswerLost, Outcome::NotReached),
            ],
        };
        insta::assert_snapshot!("sweep", record.markdown());
        let read: SweepRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
        assert_eq!(read, record);
    }
}
