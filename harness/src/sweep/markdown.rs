//! A sweep as text: `sweep.md`, which the terminal shows, too.

use super::{
    point::Fate,
    record::{Outcome, PartBreakdown, SweepRecord},
};
use crate::report::{escape::lines, wording};
use std::{fmt::Write as _, slice};

impl SweepRecord {
    /// The table, then everything that did not hold or that nobody can tell, as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let heads = joined(self.fates.iter().map(ToString::to_string));
        let mut text = format!("# Crash sweep of {}\n\n", self.cell);
        let _ = writeln!(text, "| case | writes | {heads} |\n|---|---|{}", "---|".repeat(self.fates.len()));
        for (case, writes) in &self.writes {
            let cells = joined(self.fates.iter().map(|fate| self.cell_of(case, *fate)));
            let _ = writeln!(text, "| {case} | {} | {cells} |", writes.len());
        }
        let _ = writeln!(text, "\n{}", self.counts());
        for PartBreakdown { part, breakdown } in &self.breakdowns {
            let _ = writeln!(text, "\n- `{part}`: {}", wording::breakdown(breakdown));
        }
        for case in &self.baseless {
            let went = if case.outcome == Outcome::Broken { "broken" } else { "undecided" };
            let head = format!("**{}**, {went} without faults", case.case);
            item(&mut text, &head, case.timeline.as_deref(), &case.because);
        }
        for point in &self.points {
            let aside = match point.outcome {
                Outcome::Held | Outcome::NotReached => continue,
                Outcome::Deviates => ", deviates as known",
                Outcome::Undecided | Outcome::Broken => "",
            };
            let head = self.place(&point.case, point.fate, point.write) + aside;
            item(&mut text, &head, Some(&point.timeline), &point.because);
        }
        for point in &self.unjudged {
            let head = self.place(&point.case, point.fate, point.write) + ", without a verdict";
            item(&mut text, &head, point.timeline.as_deref(), slice::from_ref(&point.because));
        }
        text
    }

    /// Every point that was drawn is in one of the numbers.
    fn counts(&self) -> String {
        let mut text = format!(
            "{} of {} points, seed {}: {} held, {} deviating as known, {} broken, {} undecided, {} not reached, {} without a verdict.",
            self.points.len() + self.unjudged.len(),
            self.of,
            self.seed,
            self.count(Outcome::Held),
            self.count(Outcome::Deviates),
            self.count(Outcome::Broken),
            self.count(Outcome::Undecided),
            self.count(Outcome::NotReached),
            self.unjudged.len(),
        );
        if !self.baseless.is_empty() {
            let (without, all) = (self.baseless.len(), self.baseless.len() + self.writes.len());
            let _ = write!(text, "\nWithout a run to compare with, and so without points: {without} of {all} cases.");
        }
        text
    }

    /// Where a point is. A number of a write that is in no baseline, as of an edited file, is told as it stands.
    fn place(&self, case: &str, fate: Fate, write: u32) -> String {
        let at = write.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        let what = at.and_then(|at| self.writes.get(case)?.get(at)).map_or("?", String::as_str);
        format!("**{case}**, {fate} write {write} ({what})")
    }

    /// Held of those that were reached; nothing where none was drawn.
    fn cell_of(&self, case: &str, fate: Fate) -> String {
        let points = || self.points.iter().filter(|point| point.case == case && point.fate == fate);
        let count = |outcome| points().filter(|point| point.outcome == outcome).count();
        let (held, unreached, deviating) = (count(Outcome::Held), count(Outcome::NotReached), count(Outcome::Deviates));
        let unjudged = self.unjudged.iter().filter(|point| point.case == case && point.fate == fate).count();
        let reached = points().count() - unreached;
        let words = [(deviating, "as known"), (unreached, "not reached"), (unjudged, "without a verdict")];
        let aside: Vec<String> = words
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, words)| format!("{number} {words}"))
            .collect();
        match (reached, aside.is_empty()) {
            (0, true) => "–".to_owned(),
            (_, true) => format!("{held}/{reached}"),
            (_, false) => format!("{held}/{reached} ({})", aside.join(", ")),
        }
    }
}

fn joined(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(" | ")
}

/// An item of the list: what it is about, its timeline if there is one, and why it is in the list.
fn item(text: &mut String, head: &str, timeline: Option<&str>, because: &[String]) {
    let timeline = timeline.map(|timeline| format!(": `{timeline}`")).unwrap_or_default();
    let _ = writeln!(text, "\n- {head}{timeline}");
    for why in because {
        let _ = writeln!(text, "  - {}", lines(why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{report::schema::What, sweep::sample};

    fn record(writes: &[&str]) -> SweepRecord {
        let writes: Vec<String> = writes.iter().map(|write| (*write).to_owned()).collect();
        let of = writes.len() * Fate::ALL.len();
        let writes = [("suite/a".to_owned(), writes)].into();
        SweepRecord { of, writes, ..SweepRecord::new("1.37.1-builtin".to_owned(), 7) }
    }

    #[test]
    fn the_table_has_what_held_and_the_list_what_did_not() {
        let points = vec![
            sample::point(1, Fate::KilledBefore, Outcome::Held),
            sample::point(2, Fate::KilledBefore, Outcome::Broken),
            sample::point(2, Fate::AnswerLost, Outcome::NotReached),
            sample::point(1, Fate::Conflict, Outcome::Deviates),
            sample::point(2, Fate::Conflict, Outcome::Held),
        ];
        let record = SweepRecord { points, ..record(&["create pods", "update jobs/status"]) };
        insta::assert_snapshot!("sweep", record.markdown());
    }

    #[test]
    fn what_was_to_be_played_and_has_no_verdict_is_told() {
        let record = SweepRecord {
            points: vec![sample::point(1, Fate::KilledBefore, Outcome::Held)],
            unjudged: vec![sample::unjudged(1)],
            baseless: vec![
                sample::baseless("suite/b", Outcome::Broken),
                sample::baseless("suite/c", Outcome::Undecided),
            ],
            breakdowns: vec![sample::breakdown(What::Panicked)],
            ..record(&["create pods"])
        };
        insta::assert_snapshot!("without_a_verdict", record.markdown());
    }

    #[test]
    fn a_write_that_cannot_be_is_told_as_one_that_nobody_knows() {
        for write in [0, 2, u32::MAX] {
            let points = vec![sample::point(write, Fate::Refused, Outcome::Broken)];
            let text = SweepRecord { points, ..record(&["create pods"]) }.markdown();
            assert!(text.contains(&format!("refused with 503 write {write} (?)")), "{text}");
        }
    }
}
