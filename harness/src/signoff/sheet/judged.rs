//! What runs say of a requirement.

use super::{
    super::stored::{Evidence, StoredRun},
    CellLine, EvidenceLine, Judged, State, Turns, cell_line,
};
use crate::{
    plan::{fit::kind, requirements::Coverage},
    report::schema::{CaseRecord, Verdict, verdicts::CheckRecord},
};
use std::collections::{BTreeMap, BTreeSet};

/// Cells and timelines that were named so far.
pub(super) struct Gathered<'a> {
    runs: &'a [StoredRun],
    cells: Vec<CellLine>,
    evidence: Vec<EvidenceLine>,
    places: BTreeMap<(usize, &'a str), usize>,
}

/// Turns of one case in one cell: its run, the cell and the case.
type Group<'a> = BTreeMap<(usize, &'a str, &'a str), Vec<&'a CaseRecord>>;

impl<'a> Gathered<'a> {
    pub(super) fn new(runs: &'a [StoredRun]) -> Self {
        Self { runs, cells: Vec::new(), evidence: Vec::new(), places: BTreeMap::new() }
    }

    pub(super) fn into_parts(self) -> (Vec<CellLine>, Vec<EvidenceLine>) {
        (self.cells, self.evidence)
    }

    pub(super) fn judged(&mut self, number: &str, known: Option<&Coverage<'_>>) -> Judged {
        let phrase = known.map_or("unknown to this program", |known| known.phrase).to_owned();
        let (turns, mut says) = match known {
            Some(known) if known.is_an_invariant() => self.in_every_case(number),
            _ => self.by_cases(number),
        };
        let ran: BTreeSet<&str> = turns.iter().map(|turns| turns.case.as_str()).collect();
        let cases = known.map(|known| known.cases.as_slice()).unwrap_or_default();
        let others: Vec<&str> = cases.iter().copied().filter(|case| !ran.contains(case)).collect();
        let in_every_case = known.is_some_and(Coverage::is_an_invariant);
        let state = match turns.iter().map(|turns| turns.state).max() {
            Some(state) => state,
            None if others.is_empty() && !in_every_case => {
                says.push("no case of this program judges it".to_owned());
                State::NoCase
            }
            None => State::NotJudged,
        };
        if in_every_case && turns.is_empty() {
            says.push("there was no occasion for it to be broken".to_owned());
        }
        if !others.is_empty() && !in_every_case {
            says.push(format!(
                "not judged in these runs: {}",
                others.iter().map(|case| self.absent(case)).collect::<Vec<_>>().join(", ")
            ));
        }
        Judged { number: number.to_owned(), phrase, state, says: says.join("; "), turns }
    }

    /// A case without a turn, and why it has none.
    fn absent(&self, case: &str) -> String {
        let skips = self.runs.iter().flat_map(|stored| &stored.run.cases).filter(|record| record.case == case);
        let reasons: BTreeSet<&str> = skips.filter_map(|record| record.because.as_deref()).map(kind).collect();
        match reasons.is_empty() {
            true => case.to_owned(),
            false => format!("{case} ({})", reasons.into_iter().collect::<Vec<_>>().join(", ")),
        }
    }

    fn by_cases(&mut self, number: &str) -> (Vec<Turns>, Vec<String>) {
        let mut groups: Group<'a> = BTreeMap::new();
        let runs = self.runs;
        for (run, stored) in runs.iter().enumerate() {
            let judges =
                |case: &&CaseRecord| case.verdict != Verdict::Skip && case.requirements.iter().any(|one| one == number);
            for case in stored.run.cases.iter().filter(judges) {
                groups.entry((run, &case.cell, &case.case)).or_default().push(case);
            }
        }
        let mut says = Vec::new();
        let turns = groups.into_iter().map(|((run, cell, case), turns)| {
            let states: Vec<State> = turns.iter().map(|turn| self.state(run, turn, &mut says)).collect();
            Turns {
                case: case.to_owned(),
                cell: self.cell(run, cell),
                passed: states.iter().filter(|state| **state == State::Covered).count(),
                all: states.len(),
                state: states.into_iter().max().unwrap_or(State::NotJudged),
                evidence: turns.iter().filter_map(|turn| self.place(run, turn.timeline.as_deref()?)).collect(),
            }
        });
        (turns.collect(), says)
    }

    /// A turn that passed shows nothing without its timeline as it was written.
    fn state(&self, run: usize, turn: &CaseRecord, says: &mut Vec<String>) -> State {
        let mut doubt = |because: &str| {
            says.push(format!("{} in {}: {because}", turn.case, turn.cell));
            State::Open
        };
        let file = turn.timeline.as_ref().and_then(|path| self.runs[run].files.get(path));
        match (turn.verdict, file) {
            (Verdict::Fail, _) => State::Broken,
            (Verdict::Deviates, _) => State::Deviates,
            _ if !self.is_attested(run, &turn.cell) => doubt("its cell was not attested"),
            (Verdict::Pass, Some(Evidence::There(_))) => State::Covered,
            (Verdict::Pass, Some(Evidence::Edited(_))) => doubt("its timeline was edited"),
            (Verdict::Pass, _) => doubt("its timeline is missing"),
            (verdict, _) => doubt(verdict.as_str()),
        }
    }

    /// Whether a cell was proven to be what was asked for; without that there is no verdict.
    fn is_attested(&self, run: usize, id: &str) -> bool {
        let found = self.runs[run].run.cells.iter().find(|cell| cell.id == id);
        found.and_then(|cell| cell.attested.as_ref()).is_some_and(|attested| attested.holds)
    }

    /// What an invariant came to, by cell.
    fn in_every_case(&mut self, number: &str) -> (Vec<Turns>, Vec<String>) {
        let (mut turns, mut says) = (Vec::new(), Vec::new());
        let runs = self.runs;
        for (run, stored) in runs.iter().enumerate() {
            let mut cells: BTreeMap<&str, (usize, usize, State)> = BTreeMap::new();
            for judged in stored.verdicts.iter().flat_map(|verdicts| &verdicts.cases) {
                for sentence in judged.sentences.iter().filter(|sentence| sentence.source.0 == number) {
                    let state = match (&sentence.check, judged.verdict) {
                        (CheckRecord::Vacuous(_), _) => continue,
                        (CheckRecord::Held, _) => State::Covered,
                        (CheckRecord::Broken(_), Verdict::Deviates) => State::Deviates,
                        (CheckRecord::Broken(_), _) => State::Broken,
                    };
                    if state != State::Covered {
                        says.push(format!("{} in {}", judged.case, judged.cell));
                    }
                    let (held, all, worst) = cells.entry(&judged.cell).or_insert((0, 0, State::Covered));
                    *held += usize::from(state == State::Covered);
                    *all += 1;
                    *worst = state.max(*worst);
                }
            }
            for (cell, (passed, all, state)) in cells {
                let state = if self.is_attested(run, cell) { state } else { state.max(State::Open) };
                let cell = self.cell(run, cell);
                turns.push(Turns { case: "every case".to_owned(), cell, passed, all, state, evidence: Vec::new() });
            }
        }
        (turns, says)
    }

    fn cell(&mut self, run: usize, id: &str) -> usize {
        if let Some(place) = self.cells.iter().position(|cell| cell.run == run && cell.id == id) {
            return place;
        }
        let unknown = || CellLine {
            run,
            id: id.to_owned(),
            kubernetes: "?".to_owned(),
            gates: String::new(),
            provider: "?".to_owned(),
            subject: "?".to_owned(),
            attested: "✖ run.json has no such cell".to_owned(),
        };
        let found = self.runs[run].run.cells.iter().find(|cell| cell.id == id);
        self.cells.push(found.map_or_else(unknown, |cell| cell_line(run, cell)));
        self.cells.len() - 1
    }

    fn place(&mut self, run: usize, path: &'a str) -> Option<usize> {
        let file = self.runs[run].files.get(path)?;
        let next = self.evidence.len();
        let place = *self.places.entry((run, path)).or_insert(next);
        if place == next {
            self.evidence.push(EvidenceLine { run, path: path.to_owned(), file: file.clone() });
        }
        Some(place)
    }
}
