//! What judges a requirement, and what is said where nothing does.

use rstest::rstest;

use super::*;
use crate::workspace::SourceFile;

const TABLE: &str = "| requirement | phrase | cases |\n| --- | --- | --- |\n\
                     | PAR-001 | first | every case, S17, parallelism/one |\n| PAR-002 | second |  |\n| SLO-008 | fast |  |\n";

fn judged(open: &str) -> Judged {
    let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
    let list =
        "# Numbers.\n\n# PAR pods <side> by side\nPAR-001 first\nPAR-002 second\n\n# SLO levels\nSLO-008 fast\nS01 x\n";
    let levels = "objectives:\n- id: SLO-008\n  says: a\n- id: SLO-008-makespan\n- id: API-list\n";
    let files = vec![file(LIST, list), file(OPEN, open), file(LEVELS, levels)];
    Judged { at_least_percent: 60, ..Judged::read(&Tree { files, tracked: None }, TABLE) }
}

#[rstest]
#[case::a_reason_for_what_is_open("PAR-002 nobody can\n", &[])]
#[case::no_reason("", &["PAR-002 (second): nothing judges it"])]
#[case::a_reason_too_many("PAR-001 so\nPAR-002 so\n", &["PAR-001 is judged"])]
#[case::one_for_what_a_service_level_judges("PAR-002 so\nSLO-008 so\n", &["SLO-008 is judged"])]
#[case::an_unknown_number("PAR-002 so\nPAR-999 so\n", &["PAR-999 in"])]
fn problems(#[case] open: &str, #[case] expected: &[&str]) {
    let found = judged(open).problems();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(found.iter().zip(expected).all(|(found, start)| found.starts_with(start)), "{found:?}");
}

#[test]
fn too_few_are_too_few() {
    let found = Judged { at_least_percent: 67, ..judged("PAR-002 nobody can\n") }.problems();
    assert_eq!(found, ["only 2 of 3 requirements are judged"]);
}

#[test]
fn the_page_names_what_judges_and_why_nothing_does() {
    let page = judged("PAR-002 nobody can\n").page();
    assert!(page.contains("**2 of 3 judged: 66.6 %.**"), "{page}");
    assert!(page.contains("| PAR-002 | second | nobody can |"), "{page}");
    assert!(page.contains("| PAR-001 | first | `S17`, `parallelism/one` |"), "{page}");
    assert!(page.contains("| SLO-008 | fast | service level SLO-008, service level SLO-008-makespan |"), "{page}");
    assert!(!page.contains("S01 |") && !page.contains("## Numbers"), "{page}");
}
