//! `junit.xml`: one suite per cell, one test per case and attempt.
//!
//! A failed turn of a flaky case is a `flakyFailure` of a success where flaky cases are only told. A death or panic of the controller that no case fails for is a test `controller` that failed. *fail* is a failure, *inconclusive* and *incomplete* are errors, *skip* is skipped.

use super::{
    ReportError, escape, flakiness,
    flakiness::Turns,
    schema::{BreakdownRecord, CaseRecord, CellRecord, Run, Verdict, What},
    wording,
};
use crate::run::Flaky;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};
use std::{collections::BTreeMap, time::Duration};

/// Renders a run.
///
/// # Errors
/// What the library says.
pub fn render(run: &Run) -> Result<String, ReportError> {
    render_cells(run, &run.cells)
}

/// Renders some cells of a run.
///
/// # Errors
/// As [`render`].
pub fn render_cells(run: &Run, cells: &[CellRecord]) -> Result<String, ReportError> {
    let mut report = Report::new(format!("jobsworth {}", run.id));
    let turns = flakiness::turns(run);
    if let Some(took) = run.took_ms {
        report.set_time(Duration::from_millis(took));
    }
    for cell in cells {
        report.add_test_suite(suite(run, cell, &turns));
    }
    report.to_string().map_err(|error| ReportError::Render { what: "junit.xml", why: error.to_string() })
}

/// How the turns of each case came out, by cell and case.
type AllTurns<'r> = BTreeMap<(&'r str, &'r str), Turns>;

fn suite(run: &Run, cell: &CellRecord, turns: &AllTurns<'_>) -> TestSuite {
    let mut suite = TestSuite::new(escape::xml(&cell.id));
    // As an extra attribute: the library's own type for it would bring a second library for time.
    suite.extra.insert("timestamp".into(), run.started.to_string().into());
    let wanted = &cell.wanted;
    let emulated = wanted.emulated.clone().unwrap_or_default();
    for (name, value) in [
        ("kubernetes", wanted.kubernetes.clone()),
        ("emulated", emulated),
        ("gates", crate::plan::fit::gates_text(&wanted.gates)),
        ("controller", cell.subject.clone()),
        ("provider", cell.provider.clone()),
        ("seed", run.seed.to_string()),
        ("run", run.id.clone()),
    ] {
        if !value.is_empty() {
            suite.add_property((name.to_owned(), escape::xml(&value)));
        }
    }
    if let Some(lost) = &cell.lost {
        suite.set_system_err(escape::xml(&wording::lost(lost)));
    }
    let mut time = Duration::ZERO;
    for case in run.cases.iter().filter(|case| case.cell == cell.id) {
        time += Duration::from_millis(case.took_ms.unwrap_or(0));
        let turns = turns.get(&(case.cell.as_str(), case.case.as_str())).filter(|turns| turns.are_flaky());
        suite.add_test_case(test(case, run, turns));
    }
    for breakdown in cell.breakdowns.iter().filter(wording::is_unattributed) {
        suite.add_test_case(broke(breakdown));
    }
    suite.set_time(time);
    suite
}

/// What no case fails for is a failed test of its own: without it a red run would have no red test.
fn broke(breakdown: &BreakdownRecord) -> TestCase {
    let (name, says) = match breakdown.what {
        What::Died => ("does-not-die", "the controller ended unasked"),
        What::Panicked => ("does-not-panic", "the controller panicked and went on"),
    };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(says);
    status.set_type(Verdict::Fail.as_str());
    status.set_description(escape::xml(&wording::breakdown(breakdown)));
    let mut case = TestCase::new(name, status);
    case.set_classname("controller");
    case
}

fn test(record: &CaseRecord, run: &Run, flaky: Option<&Turns>) -> TestCase {
    let (suite, name) = record.case.split_once('/').unwrap_or(("", &record.case));
    let name =
        if run.plan.repeat > 1 && record.attempt > 0 { format!("{name}#{}", record.attempt) } else { name.to_owned() };
    let mut case = TestCase::new(escape::xml(&name), status(record, flaky.map(|_| run.plan.flaky)));
    if let Some(turns) = flaky {
        case.add_property(("flaky".to_owned(), format!("held in {}", turns.held())));
    }
    case.set_classname(escape::xml(suite));
    if let Some(took) = record.took_ms {
        case.set_time(Duration::from_millis(took));
    }
    if let Some(started) = record.started {
        case.extra.insert("timestamp".into(), started.to_string().into());
    }
    case.add_property(("claim".to_owned(), escape::xml(&record.claim)));
    case.add_property(("source".to_owned(), escape::xml(&record.source)));
    for requirement in &record.requirements {
        case.add_property(("requirement".to_owned(), escape::xml(requirement)));
    }
    if let Some(deviation) = &record.deviation {
        case.add_property(("deviation".to_owned(), escape::xml(&wording::known(deviation))));
    }
    if let Some(timeline) = record.timeline.as_deref().filter(|_| record.verdict != Verdict::Pass) {
        case.set_system_out(format!("[[ATTACHMENT|{}]]", escape::xml(timeline)));
    }
    case
}

/// The failure of a flaky case that is only told: a success for those who count, with what was broken beside it.
fn told(record: &CaseRecord) -> TestCaseStatus {
    let mut broken = TestRerun::new(NonSuccessKind::Failure);
    let says = record.failures.first().map(|failure| failure.says.as_str()).unwrap_or_default();
    broken.set_message(escape::xml(says));
    broken.set_type(Verdict::Fail.as_str());
    broken.set_description(escape::xml(&wording::failure(record)));
    let mut status = TestCaseStatus::success();
    status.add_rerun(broken);
    status
}

/// The status of a turn; `flaky` is what flaky cases come to, where its case is one.
fn status(record: &CaseRecord, flaky: Option<Flaky>) -> TestCaseStatus {
    let first = |lines: &[String]| lines.first().cloned().unwrap_or_default();
    let (mut status, message) = match record.verdict {
        // Nothing else was wrong; what deviates is told beside it.
        Verdict::Pass | Verdict::Deviates => return TestCaseStatus::success(),
        Verdict::Fail if flaky == Some(Flaky::Tell) => return told(record),
        Verdict::Skip => (TestCaseStatus::skipped(), record.because.clone().unwrap_or_default()),
        Verdict::Fail => {
            let says = record.failures.first().map(|failure| failure.says.clone()).unwrap_or_default();
            (TestCaseStatus::non_success(NonSuccessKind::Failure), says)
        }
        Verdict::Inconclusive => (TestCaseStatus::non_success(NonSuccessKind::Error), first(&record.doubts)),
        Verdict::Incomplete => {
            (TestCaseStatus::non_success(NonSuccessKind::Error), record.because.clone().unwrap_or_default())
        }
    };
    status.set_message(escape::xml(&message));
    if record.verdict != Verdict::Skip {
        status.set_type(record.verdict.as_str());
        status.set_description(escape::xml(&wording::failure(record)));
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;

    #[test]
    fn a_run_with_a_nasty_text_everywhere_is_well_formed_and_reads_back() {
        let text = render(&sample::nasty()).unwrap();
        insta::assert_snapshot!(text);
        let read = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((read.tests, read.failures, read.errors), (7, 2, 2));
        assert_eq!(read.test_suites[0].test_cases.len(), 7);
    }

    #[test]
    fn a_failure_of_a_flaky_case_is_no_failure_where_it_is_only_told() {
        let mut run = sample::nasty();
        let failed = run.cases.pop().unwrap();
        let passed = CaseRecord { attempt: 2, verdict: Verdict::Pass, failures: Vec::new(), ..failed.clone() };
        run.cases = vec![failed, passed];
        run.cells[0].breakdowns.clear();
        let read = |run: &Run| Report::deserialize_from_str(&render(run).unwrap()).unwrap();
        assert_eq!((read(&run).tests, read(&run).failures), (2, 1));
        run.plan.flaky = Flaky::Tell;
        assert_eq!((read(&run).tests, read(&run).failures), (2, 0));
        let text = render(&run).unwrap();
        assert!(text.contains("<flakyFailure ") && text.contains("held in 1 of 2"), "{text}");
    }

    #[test]
    fn xml_1_0_knows_every_character() {
        let text = render(&sample::nasty()).unwrap();
        let known = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert!(text.chars().all(known));
    }
}
