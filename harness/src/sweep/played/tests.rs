//! Runs in a sweep's folder, made by hand: what becomes of their points and of their cases without faults.

use super::*;
use crate::{
    cluster::subject_kind::JobApi,
    report::schema::{self, BreakdownRecord, DeviationRecord, What},
    sweep::{
        point::Fate,
        sample::{self, IDLE},
    },
};
use rstest::rstest;

const CELL: &str = "1.37.1-builtin";
const TIMELINE: &str = "cells/t.ndjson";

/// A run of this case with this verdict, and with all that can be said beside one.
fn run(case: &str, verdict: Verdict) -> Run {
    let mut record = schema::sample::case("any", verdict);
    record.case = case.to_owned();
    record.because = Some("the case took over 300s".to_owned());
    record.doubts = vec!["the watch lost history".to_owned()];
    record.failures = schema::sample::nasty().cases.iter().flat_map(|case| case.failures.clone()).take(1).collect();
    record.failures.iter_mut().for_each(|failure| failure.breach.observed = "both".to_owned());
    record.deviation = Some(DeviationRecord { source: "a page".to_owned(), shown: true });
    record.timeline = Some(TIMELINE.to_owned());
    Run { cases: vec![record], ..schema::sample::empty() }
}

fn played(case: &str, verdict: Verdict) -> Played {
    let mut played = Played::default();
    played.add("part-1", CELL, run(case, verdict));
    played
}

fn whole(_: &str) -> Result<Timeline, String> {
    Ok(sample::timeline(JobApi::Batch, Vec::new()))
}

fn point() -> &'static Point {
    Point::new(sample::idle(JobApi::Batch), 1, Fate::KilledBefore, BTreeMap::new(), &[])
}

#[rstest]
#[case::broken(Verdict::Fail, true, Outcome::Broken, &["S07: Failed and SuccessCriteriaMet are never both true: both"])]
#[case::held(Verdict::Pass, true, Outcome::Held, &[])]
#[case::as_known(
    Verdict::Deviates,
    true,
    Outcome::Deviates,
    &[
        "known: this controller deviates here in this version, see a page",
        "S07: Failed and SuccessCriteriaMet are never both true: both",
    ]
)]
#[case::there_was_no_such_write(Verdict::Pass, false, Outcome::NotReached, &[])]
#[case::nobody_can_tell(Verdict::Inconclusive, true, Outcome::Undecided, &["the watch lost history"])]
fn what_came_of_a_point(
    #[case] verdict: Verdict,
    #[case] struck: bool,
    #[case] outcome: Outcome,
    #[case] because: &[&str],
) {
    let found = played(point().id(), verdict).point(point(), |path| struck && path == "part-1/cells/t.ndjson").unwrap();
    assert_eq!(
        (found.outcome, found.because.iter().map(String::as_str).collect::<Vec<_>>()),
        (outcome, because.to_vec())
    );
    assert_eq!((found.case.as_str(), found.timeline.as_str()), (IDLE, "part-1/cells/t.ndjson"));
}

#[rstest]
#[case::the_end_of_its_job("claim", Outcome::Broken)]
#[case::what_may_show_anywhere("W01", Outcome::Deviates)]
fn what_is_known_of_points_is_no_excuse_where_nothing_happened(#[case] source: &str, #[case] outcome: Outcome) {
    let mut run = run(point().id(), Verdict::Deviates);
    run.cases[0].failures[0].source = schema::Source(source.to_owned());
    let mut played = Played::default();
    played.add("part-1", CELL, run);
    let found = played.point(point(), |_| false).unwrap();
    assert_eq!(found.outcome, outcome);
    assert!(!found.because.is_empty());
}

#[rstest]
#[case::cut_off(played(point().id(), Verdict::Incomplete), "the case took over 300s", Some("part-1/cells/t.ndjson"))]
#[case::in_no_run(played("another", Verdict::Pass), "its run does not tell of it", None)]
fn a_point_without_a_verdict_is_told_with_its_reason(
    #[case] runs: Played,
    #[case] because: &str,
    #[case] timeline: Option<&str>,
) {
    let found = runs.point(point(), |_| true).unwrap_err();
    assert_eq!(
        (found.id.as_str(), found.because.as_str(), found.timeline.as_deref()),
        (point().id(), because, timeline)
    );
}

#[rstest]
#[case::it_fails(
    played(IDLE, Verdict::Fail),
    Outcome::Broken,
    "S07: Failed and SuccessCriteriaMet are never both true: both"
)]
#[case::it_is_inconclusive(played(IDLE, Verdict::Inconclusive), Outcome::Undecided, "the watch lost history")]
#[case::it_is_incomplete(played(IDLE, Verdict::Incomplete), Outcome::Undecided, "the case took over 300s")]
#[case::it_was_never_played(Played::default(), Outcome::Undecided, "no run without faults tells of it")]
fn a_case_that_does_not_hold_without_faults_is_told(
    #[case] runs: Played,
    #[case] outcome: Outcome,
    #[case] because: &str,
) {
    let found = runs.baseline(IDLE, whole).unwrap_err();
    assert_eq!((found.case.as_str(), found.outcome, found.because), (IDLE, outcome, vec![because.to_owned()]));
}

#[test]
fn a_case_whose_recording_cannot_be_read_is_told() {
    let played = played(IDLE, Verdict::Pass);
    assert!(played.baseline(IDLE, whole).is_ok());
    let found = played.baseline(IDLE, |path| Err(format!("failed to read {path}"))).unwrap_err();
    assert_eq!((found.outcome, found.because), (Outcome::Undecided, vec![format!("failed to read part-1/{TIMELINE}")]));
}

#[rstest]
#[case::one_that_was_cut_off_is_played_again(&[Verdict::Incomplete], CELL, false)]
#[case::a_later_run_brings_the_verdict(&[Verdict::Incomplete, Verdict::Pass], CELL, true)]
#[case::a_verdict_is_not_lost_to_a_later_stop(&[Verdict::Pass, Verdict::Incomplete], CELL, true)]
#[case::inconclusive_is_one(&[Verdict::Inconclusive], CELL, true)]
#[case::another_cell_says_nothing(&[Verdict::Pass], "1.36.4-builtin", false)]
fn which_cases_need_not_be_played_again(#[case] verdicts: &[Verdict], #[case] cell: &str, #[case] has_one: bool) {
    let mut played = Played::default();
    for verdict in verdicts {
        played.add("baseline", cell, run(IDLE, *verdict));
    }
    assert_eq!(played.has_verdict(IDLE), has_one);
    assert!(!played.has_verdict("suite/other"), "nothing is known of others");
}

#[rstest]
#[case::no_case_fails_for_it(&[], 1)]
#[case::a_case_fails_for_it(&[IDLE], 0)]
fn a_breakdown_counts_by_itself_where_no_case_fails(#[case] blamed: &[&str], #[case] told: usize) {
    let mut run = run(IDLE, Verdict::Pass);
    run.cells[0].breakdowns.push(BreakdownRecord {
        what: What::Died,
        status: Some("exit status: 101".to_owned()),
        last_lines: Vec::new(),
        cases: vec![IDLE.to_owned()],
        blamed: blamed.iter().map(|case| (*case).to_owned()).collect(),
    });
    let mut played = Played::default();
    played.add("part-1", CELL, run);
    assert_eq!(played.breakdowns().len(), told);
}
