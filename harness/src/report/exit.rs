//! Exit codes, and which one wins when several apply.

use super::{
    flakiness::{self, FlakyCase},
    schema::{Cause, Run, Verdict, What},
};
use crate::run::Flaky;
use clap::ValueEnum;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every selected claim held.
    Held,
    /// A claim is broken, or the controller under test died or panicked.
    Broken,
    /// Usage or configuration error; nothing was started.
    Misuse,
    /// Could not tell: environment not proven, inconclusive, incomplete, or nothing selected.
    Undecided,
    /// All claims held, but an objective was missed.
    Missed,
    /// Stopped in order after this signal: `SIGINT` or `SIGTERM`.
    Stopped(&'static str),
}

/// What known deviations of the controller come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Deviations {
    /// They are told and counted.
    #[default]
    Tell,
    /// They fail the run, as anything else that is broken.
    Fail,
}

impl Exit {
    /// The number the process ends with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Held => 0,
            Self::Broken => 1,
            Self::Misuse => 2,
            Self::Undecided => 3,
            Self::Missed => 4,
            Self::Stopped("SIGTERM") => 143,
            Self::Stopped(_) => 130,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Every cause of the exit code, the one that decides first; none when every claim held.
///
/// The order is: stopped (130, 143), misuse (2), broken (1), could not tell (3). Misuse mostly ends the
/// program before there is a run; `refused` is a manifest that the server did not take. `unwritten` names
/// reports that could not be written.
#[must_use]
pub fn causes(
    run: &Run,
    interrupted: Option<&'static str>,
    refused: Option<&str>,
    deviations: Deviations,
    unwritten: &[String],
) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut add = |exit: Exit, says: String| causes.push(Cause { code: exit.code(), says });
    if let Some(signal) = interrupted {
        add(Exit::Stopped(signal), format!("the run was stopped by {signal}"));
    }
    if let Some(refused) = refused {
        add(Exit::Misuse, refused.to_owned());
    }
    let broke = breakdowns(run);
    let flaky = flakiness::flaky(run);
    let failed_now_and_then: usize = flaky.iter().map(|case| case.turns.failed as usize).sum();
    let count = |verdict: Verdict| {
        let all = run.cases.iter().filter(|case| case.verdict == verdict).count();
        // Those of flaky cases have a cause of their own.
        if verdict == Verdict::Fail { all - failed_now_and_then } else { all }
    };
    for (verdict, exit, says) in [
        (Verdict::Fail, Exit::Broken, "failed"),
        (Verdict::Inconclusive, Exit::Undecided, "inconclusive"),
        (Verdict::Incomplete, Exit::Undecided, "incomplete"),
    ] {
        let number = count(verdict);
        if number > 0 {
            add(exit, format!("{number} {} {says}", if number == 1 { "case" } else { "cases" }));
        }
        if exit == Exit::Broken {
            told_as_flaky(&flaky, run.plan.flaky).into_iter().for_each(|says| add(exit, says));
            let deviating = if deviations == Deviations::Fail { count(Verdict::Deviates) } else { 0 };
            match deviating {
                0 => {}
                1 => add(exit, "1 case deviates, as known".to_owned()),
                _ => add(exit, format!("{deviating} cases deviate, as known")),
            }
            broke.iter().for_each(|says| add(exit, says.clone()));
        }
    }
    for cell in &run.cells {
        if let Some(lost) = &cell.lost {
            add(Exit::Undecided, format!("cell {} was lost: {}", cell.id, first_line(&lost.because)));
        }
    }
    for trouble in unwritten {
        add(Exit::Undecided, trouble.clone());
    }
    let judged = run.cases.iter().any(|case| case.verdict != Verdict::Skip);
    if !judged && causes.is_empty() {
        let says = if run.cases.is_empty() { "no case was selected" } else { "no selected case applies to a cell" };
        causes.push(Cause { code: Exit::Undecided.code(), says: says.to_owned() });
    }
    causes
}

/// What flaky cases add, if they add anything.
fn told_as_flaky(flaky: &[FlakyCase<'_>], policy: Flaky) -> Option<String> {
    match (policy, flaky) {
        (Flaky::Tell, _) | (_, []) => None,
        (Flaky::Fail, [FlakyCase { case, turns, .. }]) => {
            let held = turns.held();
            Some(format!("1 case is flaky: {case} held in {} of {} turns", held.of, held.all))
        }
        (Flaky::Fail, many) => Some(format!("{} cases are flaky", many.len())),
    }
}

/// How often controllers died or panicked, cell by cell.
fn breakdowns(run: &Run) -> Vec<String> {
    let kinds = [(What::Died, "died"), (What::Panicked, "panicked")];
    let counted = run.cells.iter().flat_map(|cell| {
        kinds.map(|(what, word)| (cell, word, cell.breakdowns.iter().filter(|broke| broke.what == what).count()))
    });
    let told = counted.filter_map(|(cell, word, number)| match number {
        0 => None,
        1 => Some(format!("the controller of cell {} {word}", cell.id)),
        _ => Some(format!("the controller of cell {} {word} {number} times", cell.id)),
    });
    told.collect()
}

/// The exit that the causes lead to.
#[must_use]
pub fn of(causes: &[Cause]) -> Exit {
    match causes.first().map(|cause| cause.code) {
        None => Exit::Held,
        Some(1) => Exit::Broken,
        Some(2) => Exit::Misuse,
        Some(130) => Exit::Stopped("SIGINT"),
        Some(143) => Exit::Stopped("SIGTERM"),
        Some(_) => Exit::Undecided,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::{BreakdownRecord, Lost, sample};
    use rstest::rstest;

    fn run(verdicts: &[Verdict]) -> Run {
        let cases = verdicts.iter().map(|verdict| sample::case("any", *verdict)).collect();
        Run { cases, ..sample::empty() }
    }

    #[rstest]
    #[case::all_held(&[Verdict::Pass, Verdict::Skip], None, &[], &[])]
    #[case::broken_beats_inconclusive(&[Verdict::Inconclusive, Verdict::Fail], None, &[], &[1, 3])]
    #[case::a_signal_beats_broken(&[Verdict::Fail, Verdict::Incomplete], Some("SIGINT"), &[], &[130, 1, 3])]
    #[case::a_termination(&[Verdict::Incomplete], Some("SIGTERM"), &[], &[143, 3])]
    #[case::an_unwritten_report(&[Verdict::Pass], None, &["failed to write junit.xml"], &[3])]
    #[case::nothing_selected(&[], None, &[], &[3])]
    #[case::nothing_applies(&[Verdict::Skip], None, &[], &[3])]
    fn causes_in_order(
        #[case] verdicts: &[Verdict],
        #[case] signal: Option<&'static str>,
        #[case] unwritten: &[&str],
        #[case] codes: &[u8],
    ) {
        let unwritten: Vec<String> = unwritten.iter().map(|text| (*text).to_owned()).collect();
        let causes = causes(&run(verdicts), signal, None, Deviations::Tell, &unwritten);
        assert_eq!(causes.iter().map(|cause| cause.code).collect::<Vec<_>>(), codes);
        assert_eq!(of(&causes).code(), codes.first().copied().unwrap_or(0));
    }

    #[test]
    fn a_lost_cell_is_no_verdict_and_names_its_first_line() {
        let mut run = run(&[Verdict::Pass]);
        run.cells[0].lost =
            Some(Lost { because: "etcd ended\nlast".to_owned(), component: None, status: None, last_lines: vec![] });
        let causes = causes(&run, None, None, Deviations::Tell, &[]);
        assert_eq!(causes, [Cause { code: 3, says: "cell 1.37.1-builtin was lost: etcd ended".to_owned() }]);
    }

    #[rstest]
    #[case::a_death(What::Died, "the controller of cell 1.37.1-builtin died")]
    #[case::a_panic(What::Panicked, "the controller of cell 1.37.1-builtin panicked")]
    fn a_controller_that_breaks_down_fails_the_run_though_no_case_fails(#[case] what: What, #[case] says: &str) {
        let mut run = run(&[Verdict::Pass, Verdict::Incomplete]);
        let broke = BreakdownRecord { what, status: None, last_lines: vec![], cases: vec![], blamed: vec![] };
        run.cells[0].breakdowns.push(broke);
        let causes = causes(&run, None, None, Deviations::Tell, &[]);
        assert_eq!(causes.first(), Some(&Cause { code: 1, says: says.to_owned() }));
        assert_eq!(of(&causes), Exit::Broken);
    }

    #[rstest]
    #[case::told(Deviations::Tell, &[])]
    #[case::strict(Deviations::Fail, &[1])]
    fn known_deviations_fail_only_where_that_is_asked_for(#[case] deviations: Deviations, #[case] codes: &[u8]) {
        let causes = causes(&run(&[Verdict::Pass, Verdict::Deviates]), None, None, deviations, &[]);
        assert_eq!(causes.iter().map(|cause| cause.code).collect::<Vec<_>>(), codes);
    }

    #[rstest]
    #[case::as_failures(Flaky::Fail, &["1 case failed", "1 case is flaky: success-policy/any held in 1 of 3 turns"])]
    #[case::told(Flaky::Tell, &["1 case failed"])]
    fn flaky_cases_have_a_cause_of_their_own(#[case] policy: Flaky, #[case] says: &[&str]) {
        let mut run = run(&[Verdict::Fail, Verdict::Pass, Verdict::Fail]);
        run.cases.push(sample::case("always", Verdict::Fail));
        run.plan.flaky = policy;
        let causes = causes(&run, None, None, Deviations::Tell, &[]);
        assert_eq!(causes.iter().map(|cause| cause.says.as_str()).collect::<Vec<_>>(), says);
        run.cases.pop();
        let causes = super::causes(&run, None, None, Deviations::Tell, &[]);
        assert_eq!(of(&causes), if policy == Flaky::Tell { Exit::Held } else { Exit::Broken });
    }

    #[test]
    fn a_refused_manifest_is_misuse() {
        assert_eq!(
            of(&causes(&run(&[Verdict::Inconclusive]), None, Some("refused"), Deviations::Tell, &[])),
            Exit::Misuse
        );
    }
}
