//! The tables are whole: every rule of status validation has a write that it refuses and one that it lets
//! pass, sentences tell rows apart, and cases name the requirements of their rows.

use jobsworth_suites::{CATALOGUE, status_validation, table::Row, validation, volcano_admission};
use std::collections::BTreeSet;

/// Rules that refuse nothing: they say what passes.
const NEVER_REFUSE: &[&str] = &["VST-203", "VST-206"];

/// Requirements of the spec without a row, and why.
const WITHOUT_A_ROW: &[(&str, &str)] = &[
    ("DEF-013", "a field selector is no write: it has a case of its own"),
    ("VAL-039", "the gang must be there first: it has a case of its own"),
];

type Table = (&'static str, Vec<Row>);

/// What a case asks by rows of another number: a feature and the API's validation tell of the same rule.
const TOLD_TWICE: [(&str, &str); 4] = [
    ("status-validation/conditions", "MGB-008"),
    ("validation/counts", "IDX-027"),
    ("validation/names-and-selectors", "MGB-005"),
    ("validation/updates", "BLI-018"),
];

fn tables() -> Vec<Table> {
    [validation::tables(), status_validation::tables(), volcano_admission::tables()].concat()
}

fn numbers(family: &str) -> Vec<&'static str> {
    let lines = CATALOGUE.requirements.lines();
    lines.filter_map(|line| line.split(' ').next()).filter(|number| number.starts_with(family)).collect()
}

/// The requirements of the rows that are refusals, or that are not.
fn asked(tables: &[Table], refusals: bool) -> BTreeSet<String> {
    let rows = tables.iter().flat_map(|(_, rows)| rows);
    rows.filter(|row| row.is_refusal() == refusals).map(|row| row.requirement().to_owned()).collect()
}

#[test]
fn every_rule_of_the_status_refuses_and_lets_pass() {
    // Rules that a cell switches off are refused nowhere but in the other tables.
    let mut tables = status_validation::tables();
    for (_, rows) in &mut tables {
        rows.retain(|row| !row.says().ends_with("(only for other managers)"));
    }
    let (passed, refused) = (asked(&tables, false), asked(&tables, true));
    let silent: Vec<_> = numbers("VST-").into_iter().filter(|number| !passed.contains(*number)).collect();
    let toothless: Vec<_> = numbers("VST-").into_iter().filter(|number| !refused.contains(*number)).collect();
    assert_eq!(silent, [""; 0], "these let nothing pass");
    assert_eq!(toothless, NEVER_REFUSE, "these refuse nothing");
}

#[test]
fn every_requirement_of_the_spec_has_a_row() {
    let tables = validation::tables();
    let all: BTreeSet<_> = asked(&tables, false).union(&asked(&tables, true)).cloned().collect();
    let numbers = [numbers("DEF-"), numbers("VAL-")].concat();
    let missing: Vec<_> = numbers.into_iter().filter(|number| !all.contains(*number)).collect();
    assert_eq!(missing, WITHOUT_A_ROW.iter().map(|(number, _)| *number).collect::<Vec<_>>());
    let rows: usize = tables.iter().map(|(_, rows)| rows.len()).sum();
    assert!(rows >= 70, "{rows} rows");
}

#[test]
fn no_two_rows_have_the_same_sentence() {
    let mut seen = BTreeSet::new();
    for (case, rows) in tables() {
        for row in rows {
            assert!(seen.insert(row.says().to_owned()), "{case}: “{}” is there twice", row.says());
        }
    }
}

#[test]
fn a_case_names_the_requirements_of_its_rows() {
    for (id, rows) in tables() {
        let case = CATALOGUE.case(id).unwrap_or_else(|| panic!("there is no case {id}"));
        let named: BTreeSet<_> = case.about().requirements.iter().map(|number| (*number).to_owned()).collect();
        let told_twice = TOLD_TWICE.iter().filter(|(case, _)| *case == id).map(|(_, number)| (*number).to_owned());
        let asked: BTreeSet<_> = rows.iter().map(|row| row.requirement().to_owned()).chain(told_twice).collect();
        assert_eq!(named, asked, "{id}");
        assert!(case.expects().len() >= rows.len(), "{id}: a row without an expectation");
    }
}

#[test]
fn every_table_has_its_rows_counted() {
    let ids: BTreeSet<_> = tables().into_iter().map(|(id, _)| id).collect();
    let suites = ["validation", "status-validation", "volcano-admission"];
    let cases = CATALOGUE.cases.iter().map(|case| case.about()).filter(|about| suites.contains(&about.suite()));
    let missing: Vec<_> = cases.map(|about| about.id).filter(|id| !ids.contains(id)).collect();
    let scripted = [
        "validation/a-gang-keeps-its-size",
        "validation/jobs-are-selected-by-their-successes",
        "volcano-admission/the-surface",
        "volcano-admission/a-dry-run-leaves-nothing-behind",
        "volcano-admission/status-and-spec-are-written-apart",
    ];
    assert_eq!(missing, scripted, "cases without a table");
}
