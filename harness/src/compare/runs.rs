//! Two runs, compared.

use super::{
    Incomparable,
    cells::{self, Pairs},
    change::{Broken, Policy, decide},
    claims::{self, Claims},
    differences, durations,
    durations::Bar,
    source::StoredRun,
    wire::{Breakdowns, Came, CellPair, Change, Kind, RunComparison, SCHEMA, SideRecord, Standing},
};
use crate::report::{
    flakiness::Turns,
    schema::{CaseRecord, CellRecord, Run, Verdict},
    wording,
};
use jobsworth_swimlane::plain::fitted;
use std::collections::{BTreeMap, HashMap};

/// Sentences of one case that are told.
const TOLD: usize = 3;
/// Longest of them, in characters; some come from a cluster.
const LONGEST: usize = 500;

/// Compares two runs.
///
/// # Errors
/// When no case is in both, in cells that stand for each other.
pub fn compare(base: &StoredRun, head: &StoredRun, policy: Policy, bar: Bar) -> Result<RunComparison, Incomparable> {
    let pairs = cells::pair(&base.run.cells, &head.run.cells);
    let (old, new) = (Cases::of(&base.run), Cases::of(&head.run));
    let mut changes = Vec::new();
    let (mut both, mut alike) = (0, 0);
    for (one, other) in &pairs.pairs {
        let pair = CellsOf { base: one, head: other, old: &old, new: &new, knowing: base.claims.as_ref(), policy };
        let (found, shared) = pair.changes();
        both += shared;
        alike += shared - found.iter().filter(|change| !matches!(change.kind, Kind::New | Kind::Gone)).count();
        changes.extend(found);
    }
    if both == 0 {
        return Err(nothing_in_common(base, head, &pairs));
    }
    changes.sort_by(|a, b| (!a.regression, a.kind, &a.cell, &a.case).cmp(&(!b.regression, b.kind, &b.cell, &b.case)));
    let breakdowns = breakdowns(&pairs);
    let durations = durations::compare(&base.run, &head.run, &pairs, bar);
    let regressions = changes.iter().filter(|change| change.regression).count()
        + breakdowns.iter().filter(|broke| broke.regression).count()
        + durations.slower.len();
    Ok(RunComparison {
        schema: SCHEMA.to_owned(),
        base: side(&base.run),
        head: side(&head.run),
        differences: differences::all(&base.run, &head.run, &pairs),
        cautions: cautions(base, head, &pairs),
        cells: pairs
            .pairs
            .iter()
            .map(|(one, other)| CellPair { base: one.id.clone(), head: other.id.clone() })
            .collect(),
        changes,
        alike: u32::try_from(alike).unwrap_or(u32::MAX),
        claims: changed_claims(base, head, &pairs),
        breakdowns,
        durations,
        regressions,
    })
}

/// The records of each case of a run, by cell and case.
struct Cases<'r>(HashMap<&'r str, BTreeMap<&'r str, (Turns, Vec<&'r CaseRecord>)>>);

impl<'r> Cases<'r> {
    fn of(run: &'r Run) -> Self {
        let mut cells: HashMap<&str, BTreeMap<&str, (Turns, Vec<&CaseRecord>)>> = HashMap::new();
        for case in &run.cases {
            let (turns, records) = cells.entry(&case.cell).or_default().entry(&case.case).or_default();
            turns.count(case.verdict);
            records.push(case);
        }
        Self(cells)
    }

    fn cell(&self, id: &str) -> Option<&BTreeMap<&'r str, (Turns, Vec<&'r CaseRecord>)>> {
        self.0.get(id)
    }
}

/// Two cells that stand for each other, and what is known of their cases.
struct CellsOf<'a, 'r> {
    base: &'a CellRecord,
    head: &'a CellRecord,
    old: &'a Cases<'r>,
    new: &'a Cases<'r>,
    /// What BASE's program claimed.
    knowing: Option<&'a Claims>,
    policy: Policy,
}

impl CellsOf<'_, '_> {
    /// What became of the cases, and how many are in both.
    fn changes(&self) -> (Vec<Change>, usize) {
        let none = BTreeMap::new();
        let old = self.old.cell(&self.base.id).unwrap_or(&none);
        let new = self.new.cell(&self.head.id).unwrap_or(&none);
        let mut changes = Vec::new();
        let mut both = 0;
        for (case, (turns, records)) in new {
            let head = Came::of(*turns);
            match old.get(case) {
                Some((before, _)) => {
                    both += 1;
                    changes.extend(self.of_both(case, Came::of(*before), head, records));
                }
                None => changes.push(self.told(Kind::New, case, (None, Some(head)), records)),
            }
        }
        for (case, (turns, _)) in old.iter().filter(|(case, _)| !new.contains_key(*case)) {
            let mut gone = self.told(Kind::Gone, case, (Some(Came::of(*turns)), None), &[]);
            gone.cell.clone_from(&self.base.id);
            changes.push(gone);
        }
        (changes, both)
    }

    fn of_both(&self, case: &str, base: Came, head: Came, records: &[&CaseRecord]) -> Option<Change> {
        let decided = decide(&base, &head, self.broken(case, records), self.policy)?;
        let told = self.told(decided.kind, case, (Some(base), Some(head)), records);
        Some(Change { regression: decided.regression, chance: decided.chance, ..told })
    }

    fn broken(&self, case: &str, records: &[&CaseRecord]) -> Broken {
        let Some(claims) = self.knowing else { return Broken::OldClaims };
        let mut failures = records.iter().flat_map(|record| &record.failures).peekable();
        let any = failures.peek().is_some();
        match any && failures.all(|failure| !claims.knows(&self.base.id, case, failure)) {
            true => Broken::NewClaimsOnly,
            false => Broken::OldClaims,
        }
    }

    fn told(&self, kind: Kind, case: &str, came: (Option<Came>, Option<Came>), records: &[&CaseRecord]) -> Change {
        let (base, head) = came;
        let failed = head.is_some_and(|came| matches!(came.standing, Standing::Failed | Standing::Flaky));
        let first = records.iter().find(|record| !failed || record.verdict == Verdict::Fail);
        let again = first.filter(|_| failed).map(|record| record.again.clone());
        Change {
            kind,
            regression: false,
            case: case.to_owned(),
            cell: self.head.id.clone(),
            base,
            head,
            because: because(head.map(|came| came.standing), records),
            chance: None,
            again,
        }
    }
}

/// What a reader wants to know of HEAD's turns.
fn because(standing: Option<Standing>, records: &[&CaseRecord]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut add = |says: String| {
        let says = fitted(&says, LONGEST);
        if told.len() < TOLD && !told.contains(&says) {
            told.push(says);
        }
    };
    for record in records {
        match standing {
            Some(Standing::Failed | Standing::Flaky) => record.failures.iter().for_each(|failure| {
                let by = if failure.source.0 == "claim" { String::new() } else { format!("{} ", failure.source.0) };
                add(format!("{by}“{}”: observed {}", failure.says, failure.breach.observed));
            }),
            Some(Standing::Skipped | Standing::Incomplete) => {
                record.because.iter().for_each(|says| add(says.lines().next().unwrap_or_default().to_owned()));
            }
            Some(Standing::Inconclusive) => record.doubts.iter().for_each(|says| add(says.clone())),
            Some(Standing::Deviates) => {
                record.deviation.iter().for_each(|deviation| add(wording::known(deviation)));
            }
            Some(Standing::Passed) | None => {}
        }
    }
    told
}

fn side(run: &Run) -> SideRecord {
    SideRecord {
        run: run.id.clone(),
        started: run.started.to_string(),
        program: run.program.version.clone(),
        exit: run.exit.as_ref().map(|exit| exit.code),
    }
}

fn nothing_in_common(base: &StoredRun, head: &StoredRun, pairs: &Pairs<'_>) -> Incomparable {
    let cells = |run: &Run| run.cells.iter().map(|cell| cell.id.as_str()).collect::<Vec<_>>().join(", ");
    let why = match () {
        () if base.run.cases.is_empty() || head.run.cases.is_empty() => "one of them has no case".to_owned(),
        () if pairs.pairs.is_empty() => format!(
            "no cell of one stands for a cell of the other: {} in BASE, {} in HEAD",
            cells(&base.run),
            cells(&head.run)
        ),
        () => "they have no case in common".to_owned(),
    };
    Incomparable::NothingToSay { base: base.run.id.clone(), head: head.run.id.clone(), why }
}

fn cautions(base: &StoredRun, head: &StoredRun, pairs: &Pairs<'_>) -> Vec<String> {
    let mut cautions = Vec::new();
    if base.run.id == head.run.id {
        cautions.push("both are the same run".to_owned());
    }
    for (one, other) in pairs.pairs.iter().filter(|(one, other)| one.id != other.id) {
        cautions.push(format!("the cell {} of BASE is compared with {} of HEAD", one.id, other.id));
    }
    for (name, stored) in [("BASE", base), ("HEAD", head)] {
        let run = &stored.run;
        let lost = run.cells.iter().filter(|cell| cell.lost.is_some());
        cautions.extend(lost.map(|cell| format!("{name} lost the cell {}: nothing is known of it", cell.id)));
        if let Some(signal @ (130 | 143)) = run.exit.as_ref().map(|exit| exit.code) {
            cautions.push(format!("{name} was stopped before its end, exit {signal}"));
        }
        match &stored.claims {
            None => cautions.push(format!("{name} has no verdicts.json: which claims were added cannot be told")),
            Some(claims) => match claims.disagreeing(run) {
                0 => {}
                number => cautions.push(format!(
                    "verdicts.json of {name} has another verdict than run.json for {number} turns: judged again since, or \
                     edited; run.json counts here"
                )),
            },
        }
    }
    cautions
}

fn changed_claims(base: &StoredRun, head: &StoredRun, pairs: &Pairs<'_>) -> Vec<super::wire::ClaimChange> {
    let cells = pairs.pairs.iter().map(|(one, other)| (one.id.as_str(), other.id.as_str()));
    match (&base.claims, &head.claims) {
        (Some(old), Some(new)) => claims::changes(old, new, cells),
        _ => Vec::new(),
    }
}

/// Deaths and panics of controllers that no case fails for.
fn breakdowns(pairs: &Pairs<'_>) -> Vec<Breakdowns> {
    let count = |cell: &CellRecord| cell.breakdowns.iter().filter(wording::is_unattributed).count();
    let both = pairs.pairs.iter().map(|(one, other)| (other.id.clone(), count(one), count(other)));
    both.filter(|(_, base, head)| base + head > 0)
        .map(|(cell, base, head)| Breakdowns { cell, base, head, regression: base == 0 && head > 0 })
        .collect()
}
