//! The books of each case: what every run said of it, and with which programs and gates.

use super::wire::{CaseHistory, History, LeftOut, Mark, RunLine, SCHEMA, Said, Word};
use crate::{
    plan::fit::gates_text,
    report::{
        flakiness::{self, Turns},
        schema::{CellRecord, Run},
    },
};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Collects runs.
#[derive(Debug, Default)]
pub struct Books {
    runs: Vec<(Timestamp, RunLine)>,
    known: BTreeSet<String>,
    settings: HashMap<String, usize>,
    cases: BTreeMap<(String, String), Vec<Entry>>,
}

/// What one run said of a case.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its place in the order in which runs were taken.
    run: usize,
    /// Which combination of programs and gates.
    setting: usize,
    turns: Turns,
}

impl Books {
    /// Takes a run that was found in this folder.
    ///
    /// # Errors
    /// Why it is not counted, in words.
    pub fn take(&mut self, folder: &str, run: &Run) -> Result<(), String> {
        if run.cases.is_empty() {
            return Err("it has no case".to_owned());
        }
        if !self.known.insert(run.id.clone()) {
            return Err(format!("the run {} is counted already, from another folder", run.id));
        }
        let number = self.runs.len();
        let line = RunLine {
            run: run.id.clone(),
            folder: folder.to_owned(),
            started: run.started.to_string(),
            program: run.program.version.clone(),
            exit: run.exit.as_ref().map(|exit| exit.code),
        };
        self.runs.push((run.started, line));
        let settings: HashMap<&str, usize> =
            run.cells.iter().map(|cell| (cell.id.as_str(), self.setting(run, cell))).collect();
        for ((cell, case), turns) in flakiness::turns(run) {
            let setting = settings.get(cell).copied().unwrap_or(usize::MAX);
            self.cases.entry((case.to_owned(), cell.to_owned())).or_default().push(Entry {
                run: number,
                setting,
                turns,
            });
        }
        Ok(())
    }

    /// The number of what a cell was: the same programs, by their sums, the same gates and the same judge.
    fn setting(&mut self, run: &Run, cell: &CellRecord) -> usize {
        let sums: Vec<String> = cell.binaries.iter().map(|(name, sum)| format!("{name}={sum}")).collect();
        let wanted = &cell.wanted;
        let text = [
            run.program.version.as_str(),
            &cell.provider,
            &cell.subject,
            &wanted.kubernetes,
            wanted.emulated.as_deref().unwrap_or_default(),
            wanted.other.as_deref().unwrap_or_default(),
            &gates_text(&wanted.gates),
            &wanted.controller.join("\u{0}"),
            &sums.join("\u{0}"),
        ];
        let next = self.settings.len();
        *self.settings.entry(text.join("\u{1}")).or_insert(next)
    }

    /// Closes the books: runs by time, cases by how much they call for attention.
    #[must_use]
    pub fn close(self, left_out: Vec<LeftOut>) -> History {
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by(|one, other| {
            let key = |place: &usize| (self.runs[*place].0, &self.runs[*place].1.run);
            key(one).cmp(&key(other))
        });
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let mut cases: Vec<CaseHistory> =
            self.cases.into_iter().map(|((case, cell), entries)| of_case(case, cell, &entries, &place)).collect();
        cases.sort_by(|a, b| {
            let share = |it: &CaseHistory| if it.judged > 0 { f64::from(it.held) / f64::from(it.judged) } else { 1.0 };
            a.word.cmp(&b.word).then(share(a).total_cmp(&share(b))).then((&a.case, &a.cell).cmp(&(&b.case, &b.cell)))
        });
        let mut lines: Vec<Option<RunLine>> = self.runs.into_iter().map(|(_, line)| Some(line)).collect();
        let runs = order.iter().filter_map(|old| lines[*old].take()).collect();
        History { schema: SCHEMA.to_owned(), runs, left_out, cases }
    }
}

fn of_case(case: String, cell: String, entries: &[Entry], place: &[usize]) -> CaseHistory {
    let mut all = Turns::default();
    let mut by_setting: BTreeMap<usize, Turns> = BTreeMap::new();
    for Entry { setting, turns, .. } in entries {
        add(&mut all, turns);
        add(by_setting.entry(*setting).or_default(), turns);
    }
    let mut strip: Vec<Mark> =
        entries.iter().map(|entry| Mark { run: place[entry.run], said: said(entry.turns) }).collect();
    strip.sort_by_key(|mark| mark.run);
    let share = all.held();
    let (low, high) = share.interval();
    let word = match () {
        () if by_setting.values().any(Turns::are_flaky) => Word::Flaky,
        () if all.are_flaky() => Word::Changed,
        () if all.failed > 0 => Word::Failing,
        () if share.all == 0 => Word::Unjudged,
        () => Word::Steady,
    };
    CaseHistory {
        case,
        cell,
        word,
        held: share.of,
        judged: share.all,
        low,
        high,
        inconclusive: all.inconclusive,
        incomplete: all.incomplete,
        skipped: all.skipped,
        settings: by_setting.values().filter(|turns| turns.held().all > 0).count(),
        strip,
    }
}

fn add(to: &mut Turns, more: &Turns) {
    to.passed += more.passed;
    to.deviated += more.deviated;
    to.failed += more.failed;
    to.inconclusive += more.inconclusive;
    to.incomplete += more.incomplete;
    to.skipped += more.skipped;
}

fn said(turns: Turns) -> Said {
    match turns {
        turns if turns.are_flaky() => Said::Flaky,
        Turns { failed: 1.., .. } => Said::Failed,
        turns if turns.held().all > 0 => Said::Held,
        Turns { inconclusive: 0, incomplete: 0, .. } => Said::Skipped,
        _ => Said::Open,
    }
}
