//! Whole comparisons of runs: from folders that the report's writer made, to text, Markdown and JSON.

use super::{
    Bar, Incomparable, Policy, RunComparison, Told as _, compare_runs,
    source::{self, Source, StoredRun},
    wire::{Kind, json_schema},
};
use crate::report::{
    console::Paint,
    escape::NASTY,
    schema::{
        Breach, BreakdownRecord, CaseRecord, CellRecord, Failure, Lost, Run, Verdict, What, sample,
        verdicts::{CheckRecord, JudgedCase, JudgedSentence, VERDICTS, Verdicts},
    },
    store,
};
use proptest::prelude::*;
use std::{fs, path::Path};

/// What every case of these runs claims.
const CLAIM: &str = "the first rule that matches wins";

fn failure(source: &str, says: &str, observed: &str) -> Failure {
    Failure {
        source: crate::report::schema::Source(source.to_owned()),
        says: says.to_owned(),
        breach: Breach { revision: 7, at_us: 1, expected: "never".to_owned(), observed: observed.to_owned() },
        excerpt: String::new(),
    }
}

/// A run of these cases, each with the verdicts of its turns.
fn run(cases: &[(&str, &[Verdict])]) -> Run {
    let mut run = sample::empty();
    for (name, verdicts) in cases {
        for (attempt, verdict) in (1..).zip(*verdicts) {
            let mut case = CaseRecord { attempt, ..sample::case(name, *verdict) };
            match verdict {
                Verdict::Fail => case.failures.push(failure("claim", CLAIM, "the second one won")),
                Verdict::Skip => case.because = Some("needs a gate off: JobManagedBy is on".to_owned()),
                Verdict::Inconclusive => case.doubts.push("the watch lost history".to_owned()),
                Verdict::Incomplete => case.because = Some("the run was stopped before its end".to_owned()),
                Verdict::Pass | Verdict::Deviates => {}
            }
            run.cases.push(case);
        }
    }
    run
}

/// The judgement that goes with a run: its one claim, and what else was broken.
fn verdicts(run: &Run, claims: &[(&str, &str)]) -> Verdicts {
    let sentence = |(source, says): &(&str, &str)| JudgedSentence {
        source: crate::report::schema::Source((*source).to_owned()),
        says: (*says).to_owned(),
        check: CheckRecord::Held,
    };
    let judged = run.cases.iter().filter(|case| !matches!(case.verdict, Verdict::Skip | Verdict::Incomplete));
    let judged = judged.map(|case| JudgedCase {
        cell: case.cell.clone(),
        case: case.case.clone(),
        attempt: case.attempt,
        verdict: case.verdict,
        sentences: claims.iter().map(sentence).collect(),
        doubts: case.doubts.clone(),
        deviation: None,
    });
    Verdicts::new(run.id.clone(), judged.collect())
}

/// Writes a run's folder as the end of `run` does, and reads it as `compare` does.
fn stored(run: Run, claims: &[(&str, &str)]) -> StoredRun {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), run, claims);
    match source::read(folder.path()).unwrap() {
        Source::Run(stored) => *stored,
        Source::Load(_) => panic!("a folder with a run.json is a run"),
    }
}

fn write(folder: &Path, mut run: Run, claims: &[(&str, &str)]) {
    run.outcome = crate::report::tally::of(&run);
    let verdicts = verdicts(&run, claims);
    assert_eq!(verdicts.schema, VERDICTS);
    fs::write(folder.join("run.json"), store::json(&run)).unwrap();
    fs::write(folder.join("verdicts.json"), store::json(&verdicts)).unwrap();
}

fn compared(base: Run, head: Run) -> RunComparison {
    let (base, head) = (stored(base, &[("claim", CLAIM)]), stored(head, &[("claim", CLAIM)]));
    compare_runs(&base, &head, Policy::default(), Bar::default()).unwrap()
}

const P: Verdict = Verdict::Pass;
const F: Verdict = Verdict::Fail;
const S: Verdict = Verdict::Skip;

/// Everything that can become of a case, and what else can be told.
fn eventful() -> (Run, Run) {
    let base = run(&[
        ("alike", &[P]),
        ("breaks", &[P, P]),
        ("flakes", &[P, P, P]),
        ("gone", &[P]),
        ("mended", &[F]),
        ("skipped", &[P]),
        ("unskipped", &[S]),
        ("cut", &[P]),
        ("doubtful", &[Verdict::Inconclusive]),
        ("deviates", &[P]),
        ("always-fails", &[F]),
    ]);
    let mut head = run(&[
        ("alike", &[P]),
        ("breaks", &[F, F]),
        ("flakes", &[P, F, P]),
        ("mended", &[P]),
        ("skipped", &[S]),
        ("unskipped", &[F]),
        ("cut", &[Verdict::Incomplete]),
        ("doubtful", &[P]),
        ("deviates", &[Verdict::Deviates]),
        ("always-fails", &[F]),
        ("new", &[F]),
    ]);
    head.id = "20261121-100003-zzzzz".to_owned();
    head.cells[0].wanted.kubernetes = "1.37.2".to_owned();
    head.cells[0].binaries.insert("jobsworth-controller".to_owned(), "beef".to_owned());
    let died = BreakdownRecord { what: What::Died, status: None, last_lines: vec![], cases: vec![], blamed: vec![] };
    head.cells[0].breakdowns.push(died);
    (base, head)
}

#[test]
fn an_eventful_comparison_in_words() {
    let (base, head) = eventful();
    let found = compared(base, head);
    assert_eq!(found.regressions, 3, "newly failing, newly flaky, and a death");
    insta::assert_snapshot!(found.text(Paint::PLAIN));
    insta::assert_snapshot!(found.markdown());
}

#[test]
fn the_json_is_valid_by_its_schema_and_survives_being_written_down() {
    let (base, head) = eventful();
    let found = compared(base, head);
    let written = serde_json::to_value(&found).unwrap();
    let validator = jsonschema::validator_for(json_schema().as_value()).unwrap();
    let mistakes: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert!(mistakes.is_empty(), "{mistakes:?}");
    assert_eq!(serde_json::from_value::<RunComparison>(written).unwrap(), found);
}

#[test]
fn a_case_that_fails_by_a_claim_of_the_new_program_only_is_no_regression_and_the_claim_is_told() {
    let base = stored(run(&[("leader", &[P])]), &[("claim", CLAIM), ("claim", "an old claim")]);
    let mut failing = run(&[("leader", &[F])]);
    failing.cases[0].failures = vec![failure("S40", "no pod outlives its Job", "it did")];
    let claims = [("claim", CLAIM), ("S40", "no pod outlives its Job")];
    let found = compare_runs(&base, &stored(failing.clone(), &claims), Policy::default(), Bar::default()).unwrap();
    assert_eq!((found.changes[0].kind, found.regressions), (Kind::FailsByNewClaims, 0));
    let told: Vec<_> = found.claims.iter().map(|claim| claim.says.as_str()).collect();
    assert_eq!(told, ["no pod outlives its Job", "an old claim"]);

    failing.cases[0].failures.push(failure("claim", CLAIM, "the second one won"));
    let found = compare_runs(&base, &stored(failing, &claims), Policy::default(), Bar::default()).unwrap();
    assert_eq!((found.changes[0].kind, found.regressions), (Kind::NewlyFailing, 1), "an old claim is broken, too");
}

#[test]
fn without_the_claims_of_base_a_failure_counts_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), run(&[("leader", &[P])]), &[]);
    fs::remove_file(folder.path().join("verdicts.json")).unwrap();
    let Source::Run(base) = source::read(folder.path()).unwrap() else { panic!("it is a run") };
    let head = stored(run(&[("leader", &[F])]), &[("claim", CLAIM)]);
    let found = compare_runs(&base, &head, Policy::default(), Bar::default()).unwrap();
    assert_eq!(found.regressions, 1);
    assert!(found.cautions.iter().any(|says| says.contains("BASE has no verdicts.json")), "{:?}", found.cautions);
}

#[test]
fn runs_with_nothing_in_common_are_refused() {
    let (base, head) = (stored(run(&[("one", &[P])]), &[]), stored(run(&[("other", &[P])]), &[]));
    let refused = |base: &StoredRun, head: &StoredRun| -> String {
        let error: Incomparable = compare_runs(base, head, Policy::default(), Bar::default()).unwrap_err();
        error.to_string()
    };
    assert!(refused(&base, &head).contains("they have no case in common"));
    assert!(refused(&base, &stored(run(&[]), &[])).contains("one of them has no case"));
    let mut two = run(&[("one", &[P])]);
    let cell = two.cells[0].clone();
    two.cells = ["x", "y"].map(|id| CellRecord { id: id.to_owned(), ..cell.clone() }).into();
    assert!(refused(&base, &stored(two, &[])).contains("1.37.1-builtin in BASE, x, y in HEAD"));
}

#[test]
fn what_was_lost_stopped_or_judged_again_is_said_beside_the_result() {
    let (base, mut head) = (run(&[("leader", &[P])]), run(&[("leader", &[P])]));
    head.cells[0].lost =
        Some(Lost { because: "etcd ended".to_owned(), component: None, status: None, last_lines: vec![] });
    let (base, mut head) = (stored(base, &[]), stored(head, &[]));
    head.run.cases[0].verdict = Verdict::Fail;
    let found = compare_runs(&base, &head, Policy::default(), Bar::default()).unwrap();
    let said = found.cautions.join("\n");
    for part in ["both are the same run", "HEAD lost the cell", "another verdict than run.json for 1 turns"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

/// A run in which everything that a cluster or a user may name is called so.
fn called(name: &str, verdict: Verdict) -> Run {
    let mut run = run(&[("leader", &[verdict])]);
    run.id = format!("{verdict:?} {name}");
    run.program.version = format!("{verdict:?} {name}");
    run.cells[0].id = name.to_owned();
    run.cells[0].subject = format!("{verdict:?} {name}");
    run.plan.filter = format!("{verdict:?} {name}");
    for case in &mut run.cases {
        (case.cell, case.case) = (name.to_owned(), name.to_owned());
        (case.because, case.doubts) = (Some(name.to_owned()), vec![name.to_owned()]);
        case.again = name.to_owned();
        case.failures
            .iter_mut()
            .for_each(|failure| (failure.says, failure.breach.observed) = (name.to_owned(), name.to_owned()));
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn hostile_names_are_inert(name in prop_oneof![Just(NASTY.to_owned()), Just(" ::error::x".to_owned()), "\\PC{1,40}", "[<>&|`*_#!\\[\\]()@\n\r\u{1b}\u{202e} a-z]{1,40}"]) {
        for verdict in [Verdict::Pass, Verdict::Fail, Verdict::Skip, Verdict::Inconclusive, Verdict::Incomplete] {
            let base = stored(called(&name, Verdict::Pass), &[("claim", &name)]);
            let head = stored(called(&name, verdict), &[("claim", "another")]);
            let found = compare_runs(&base, &head, Policy::default(), Bar::default()).unwrap();
            let (text, page) = (found.text(Paint::PLAIN), found.markdown());
            for told in [&text, &page] {
                prop_assert!(!told.chars().any(|c| c != '\n' && jobsworth_swimlane::plain::is_hostile(c)), "{told:?}");
            }
            prop_assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
            // Nothing but our own breaks and the tables' bars is markup.
            prop_assert!(!page.replace("<br>", "").contains(['<', '`', '@']), "{page}");
            let bars = |row: &str| row.matches('|').count();
            for row in page.lines().filter(|line| line.starts_with("| ")) {
                prop_assert!([4, 6].contains(&bars(row)), "{row}");
            }
        }
    }
}

#[test]
fn ten_thousand_turns_are_compared_in_bounded_time() {
    let names: Vec<String> = (0..500).map(|number| format!("case-{number}")).collect();
    let turns = [P; 20];
    let cases: Vec<(&str, &[Verdict])> = names.iter().map(|name| (name.as_str(), turns.as_slice())).collect();
    let mut slow = run(&cases);
    for (number, case) in slow.cases.iter_mut().enumerate() {
        case.took_ms = Some(1_000 + number as u64 % 97);
    }
    let claims: Vec<(String, String)> = (0..40).map(|number| (format!("S{number:02}"), CLAIM.to_owned())).collect();
    let claims: Vec<(&str, &str)> = claims.iter().map(|(source, says)| (source.as_str(), says.as_str())).collect();
    let base = stored(slow.clone(), &claims);
    slow.cases.iter_mut().for_each(|case| case.took_ms = case.took_ms.map(|took| took * 2));
    let head = stored(slow, &claims);
    let found = compare_runs(&base, &head, Policy::default(), Bar::default()).unwrap();
    assert_eq!((found.durations.tested, found.durations.slower.len(), found.alike), (500, 500, 500));
    assert!(found.markdown().len() < 60_000);
}
