//! The console on lines: what a log of CI shows.

use super::*;
use crate::report::schema::sample;

#[test]
fn a_nasty_text_is_inert_in_the_lines_of_cases() {
    let run = sample::nasty();
    let text: Vec<String> = run.cases.iter().map(|case| case_text(case, Paint::PLAIN)).collect();
    let text = text.join("\n");
    assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text:?}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_end_block_lists_cells_cases_reports_and_the_exit_with_all_its_causes() {
    let reports = ["out/run.json".to_owned(), "junit.xml".to_owned()];
    let text = end_block(&sample::nasty(), &reports, Paint::PLAIN);
    assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text:?}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_end_block_sums_skips_by_kind_and_says_where_their_names_are() {
    let run = sample::skipping(&[
        "needs a gate off: JobManagedBy is on",
        "changes to another Kubernetes: this cell has none",
        "needs a gate off: JobSuccessPolicy is on",
    ]);
    let text = end_block(&run, &["out/run.json".to_owned()], Paint::PLAIN);
    insta::assert_snapshot!(text.lines().skip(1).collect::<Vec<_>>().join("\n"), @r"
    cells     1 planned, 0 attested
    cases     1 passed, 3 skipped  in 42.0s
    skipped     2  needs a gate off
                1  changes to another Kubernetes
                   each by name: jobsworth report out --verbose
    report    out/run.json
    exit 0    every selected claim held
    ");
}

#[test]
fn a_log_is_never_silent_for_more_than_fifteen_seconds() {
    let console = Console::new(Vec::new(), Paint::PLAIN, Volume::Normal, Drawing::Lines, |_| unreachable!());
    console.tick(Duration::from_secs(14));
    console.tick(Duration::from_secs(15));
    console.tick(Duration::from_secs(29));
    console.tick(Duration::from_secs(30));
    let desk = console.state.into_inner().unwrap();
    let text = String::from_utf8(desk.writer).unwrap();
    assert_eq!(text, "… 0/0 · 0 failed · 15.0s elapsed\n… 0/0 · 0 failed · 30.0s elapsed\n");
}
