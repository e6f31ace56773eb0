//! What the runs in a sweep's folder tell of their cases: with a verdict, or why there is none.

use super::{
    baseline::Baseline,
    point::Point,
    record::{BaselessCase, Outcome, PartBreakdown, PointRecord, UnjudgedPoint},
};
use crate::report::{
    schema::{CaseRecord, Failure, Run, Verdict},
    wording,
};
use jobsworth_oracle::Timeline;
use std::collections::BTreeMap;

/// Cases of one cell as runs have played them.
#[derive(Debug, Default)]
pub struct Played {
    cases: BTreeMap<String, PlayedCase>,
    breakdowns: Vec<PartBreakdown>,
}

/// A case, and the folder of the run that tells of it.
#[derive(Debug)]
struct PlayedCase {
    part: String,
    record: CaseRecord,
}

impl Played {
    /// Takes in a run in the folder `part`. What it says of a case counts more than what earlier ones said, unless one of those
    /// had a verdict and this one has none.
    pub fn add(&mut self, part: &str, cell: &str, run: Run) {
        let told = run.cells.into_iter().filter(|known| known.id == cell).flat_map(|known| known.breakdowns);
        // For the others a case fails.
        let by_itself = told.filter(|breakdown| wording::is_unattributed(&breakdown));
        self.breakdowns.extend(by_itself.map(|breakdown| PartBreakdown { part: part.to_owned(), breakdown }));
        for record in run.cases.into_iter().filter(|record| record.cell == cell) {
            let played = PlayedCase { part: part.to_owned(), record };
            if played.has_verdict() || !self.has_verdict(&played.record.case) {
                self.cases.insert(played.record.case.clone(), played);
            }
        }
    }

    /// Whether there is a verdict on this case, whatever it is.
    #[must_use]
    pub fn has_verdict(&self, case: &str) -> bool {
        self.cases.get(case).is_some_and(PlayedCase::has_verdict)
    }

    /// Breakdowns of the controller for which no case fails.
    #[must_use]
    pub fn breakdowns(&self) -> &[PartBreakdown] {
        &self.breakdowns
    }

    /// What a case does without faults. `read` is asked for its timeline, by the path below the sweep's folder.
    ///
    /// # Errors
    /// Why there is nothing that points of it could be compared with.
    pub fn baseline(
        &self,
        case: &str,
        read: impl FnOnce(&str) -> Result<Timeline, String>,
    ) -> Result<Baseline, BaselessCase> {
        let found = self.cases.get(case);
        let timeline = found.and_then(PlayedCase::timeline);
        let without = |outcome, because| {
            let (case, timeline) = (case.to_owned(), timeline.clone());
            BaselessCase { case, outcome, because, timeline }
        };
        let undecided = |why: String| without(Outcome::Undecided, vec![why]);
        let Some(played) = found else { return Err(undecided("no run without faults tells of it".to_owned())) };
        match played.record.verdict {
            Verdict::Pass | Verdict::Deviates => {}
            Verdict::Fail => return Err(without(Outcome::Broken, played.why())),
            _ => return Err(without(Outcome::Undecided, played.why())),
        }
        let Some(path) = &timeline else { return Err(undecided("no recording of it was kept".to_owned())) };
        let recorded = read(path).map_err(undecided)?;
        Baseline::of(&recorded).ok_or_else(|| undecided("its script did not come to its end".to_owned()))
    }

    /// What came of a point. `was_struck` says of a timeline, by its path below the sweep's folder, whether what was to happen
    /// has happened.
    ///
    /// # Errors
    /// Why there is no verdict.
    pub fn point(&self, point: &Point, was_struck: impl FnOnce(&str) -> bool) -> Result<PointRecord, UnjudgedPoint> {
        let (id, case) = (point.id().to_owned(), point.case_id().to_owned());
        let (write, fate) = (point.write(), point.fate());
        let found = self.cases.get(&id);
        let timeline = found.and_then(PlayedCase::timeline);
        let Some(played) = found.filter(|played| played.has_verdict()) else {
            let because = found.and_then(|played| played.record.because.clone());
            let because = because.unwrap_or_else(|| "its run does not tell of it".to_owned());
            return Err(UnjudgedPoint { id, case, write, fate, because, timeline });
        };
        let is_reached = timeline.as_deref().is_some_and(was_struck);
        let outcome = match played.record.verdict {
            // What is known of a point comes of what happened there.
            Verdict::Deviates if !is_reached && played.breaks_a_claim() => Outcome::Broken,
            Verdict::Fail => Outcome::Broken,
            Verdict::Deviates => Outcome::Deviates,
            Verdict::Pass if is_reached => Outcome::Held,
            Verdict::Pass => Outcome::NotReached,
            _ => Outcome::Undecided,
        };
        let (because, timeline) = (played.why(), timeline.unwrap_or_default());
        Ok(PointRecord { id, case, write, fate, outcome, because, timeline })
    }
}

impl PlayedCase {
    fn has_verdict(&self) -> bool {
        !matches!(self.record.verdict, Verdict::Incomplete | Verdict::Skip)
    }

    /// Relative to the sweep's folder.
    fn timeline(&self) -> Option<String> {
        self.record.timeline.as_ref().map(|timeline| format!("{}/{timeline}", self.part))
    }

    /// Whether it is broken in what it says itself, and not only in what holds of every case.
    fn breaks_a_claim(&self) -> bool {
        self.record.failures.iter().any(|failure| failure.source.0 == "claim")
    }

    /// Sentences that were broken, after what is known of it if something is; or why nobody can tell. Nothing where it held.
    fn why(&self) -> Vec<String> {
        let words = |failure: &Failure| {
            let Failure { source, says, breach, .. } = failure;
            format!("{}: {says}: {}", source.0, breach.observed)
        };
        let broken = || self.record.failures.iter().map(words);
        match self.record.verdict {
            Verdict::Pass => Vec::new(),
            Verdict::Deviates => self.record.deviation.iter().map(wording::known).chain(broken()).collect(),
            Verdict::Fail => broken().collect(),
            Verdict::Inconclusive => self.record.doubts.clone(),
            Verdict::Skip | Verdict::Incomplete => self.record.because.iter().cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
