//! Cells next to each other: where the same case ended in different ways.

use super::schema::{CaseRecord, Run, Verdict};
use std::{collections::BTreeMap, time::Duration};

use super::wording;

/// A case, and how it ended in each cell, in the order of the run's cells.
#[derive(Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Id of the case.
    pub case: &'a str,
    /// One text per cell: `pass 1.204s`, `9 of 10 pass`, `skip`, or `–` where it was not planned.
    pub cells: Vec<String>,
}

/// The cases that did not end alike in all cells, and how many did. Cells without any case in common count as alike.
#[must_use]
pub fn differences(run: &Run) -> (Vec<Row<'_>>, usize) {
    let mut by_case: BTreeMap<&str, BTreeMap<&str, Vec<&CaseRecord>>> = BTreeMap::new();
    for case in &run.cases {
        by_case.entry(&case.case).or_default().entry(&case.cell).or_default().push(case);
    }
    let mut rows = Vec::new();
    let mut alike = 0;
    for (case, cells) in by_case {
        let of = |id: &str| cells.get(id).map(Vec::as_slice).unwrap_or_default();
        let ends: Vec<Option<Verdict>> = run.cells.iter().map(|cell| worst(of(&cell.id))).collect();
        if ends.windows(2).all(|pair| pair[0] == pair[1]) {
            alike += 1;
        } else {
            rows.push(Row { case, cells: run.cells.iter().map(|cell| text(of(&cell.id))).collect() });
        }
    }
    (rows, alike)
}

/// The verdict that is worth looking at: any that is not a pass.
fn worst(records: &[&CaseRecord]) -> Option<Verdict> {
    let mut verdicts = records.iter().map(|record| record.verdict);
    verdicts.find(|verdict| *verdict != Verdict::Pass).or(records.first().map(|record| record.verdict))
}

fn text(records: &[&CaseRecord]) -> String {
    let Some(worst) = worst(records) else { return "–".to_owned() };
    if let [only] = records {
        let took = only.took_ms.map(|took| format!(" {}", wording::short(Duration::from_millis(took))));
        return format!("{}{}", worst.as_str(), took.unwrap_or_default());
    }
    let passed = records.iter().filter(|record| record.verdict == Verdict::Pass).count();
    match passed == records.len() {
        true => format!("{passed} pass"),
        false => format!("{passed} of {} pass, {}", records.len(), worst.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;

    fn case(cell: &str, name: &str, verdict: Verdict) -> CaseRecord {
        CaseRecord { cell: cell.to_owned(), ..sample::case(name, verdict) }
    }

    fn two_cells(cases: Vec<CaseRecord>) -> Run {
        let mut run = sample::empty();
        let mut other = run.cells[0].clone();
        other.id = "1.37.1-reference".to_owned();
        run.cells.push(other);
        Run { cases, ..run }
    }

    #[test]
    fn only_cases_that_ended_in_different_ways_have_a_row() {
        let run = two_cells(vec![
            case("1.37.1-builtin", "alike", Verdict::Pass),
            case("1.37.1-reference", "alike", Verdict::Pass),
            case("1.37.1-builtin", "leader", Verdict::Pass),
            case("1.37.1-reference", "leader", Verdict::Fail),
        ]);
        let (rows, alike) = differences(&run);
        assert_eq!(alike, 1);
        let cells = vec!["pass 1.204s".to_owned(), "fail 1.204s".to_owned()];
        assert_eq!(rows, [Row { case: "success-policy/leader", cells }]);
    }

    #[test]
    fn one_failure_among_many_attempts_is_a_difference() {
        let run = two_cells(vec![
            case("1.37.1-builtin", "leader", Verdict::Pass),
            case("1.37.1-builtin", "leader", Verdict::Pass),
            case("1.37.1-reference", "leader", Verdict::Fail),
            case("1.37.1-reference", "leader", Verdict::Pass),
        ]);
        assert_eq!(differences(&run).0[0].cells, ["2 pass", "1 of 2 pass, fail"]);
    }

    #[test]
    fn a_case_that_one_cell_did_not_plan_is_a_difference() {
        let run = two_cells(vec![case("1.37.1-reference", "leader", Verdict::Skip)]);
        assert_eq!(differences(&run).0[0].cells[0], "–");
    }
}
