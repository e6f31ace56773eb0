//! Histories: of folders that the report's writer made, of runs in values, of names that nobody meant well with.

use super::{
    count::Books,
    gather::gather,
    html, text,
    wire::{CaseHistory, History, Said, Word, json_schema},
};
use crate::report::{
    console::{Paint, Volume},
    escape::NASTY,
    html::rules,
    schema::{CaseRecord, Run, State, Verdict, sample},
    store,
};
use proptest::prelude::*;
use rstest::rstest;
use scraper::{Html, Selector};
use std::{fs, path::Path};

/// The n-th run: each case with its turns (`p` pass, `f` fail, `?` inconclusive, `s` skip).
fn run(number: u32, cases: &[(&str, &str)]) -> Run {
    let mut run = Run { id: format!("run-{number:04}"), ..sample::empty() };
    run.started = format!("2026-11-20T10:{:02}:{:02}Z", number / 60 % 60, number % 60).parse().unwrap();
    for (name, turns) in cases {
        for (attempt, turn) in (1..).zip(turns.chars()) {
            let verdict = match turn {
                'p' => Verdict::Pass,
                'f' => Verdict::Fail,
                '?' => Verdict::Inconclusive,
                _ => Verdict::Skip,
            };
            run.cases.push(CaseRecord { attempt, ..sample::case(name, verdict) });
        }
    }
    run.outcome = crate::report::tally::of(&run);
    run
}

fn history(runs: &[Run]) -> History {
    let mut books = Books::default();
    for run in runs {
        books.take(&run.id, run).unwrap();
    }
    books.close(Vec::new())
}

fn only(history: &History) -> &CaseHistory {
    let [case] = history.cases.as_slice() else { panic!("one case: {:?}", history.cases) };
    case
}

#[rstest]
#[case::always_held(&["p", "pp", "p"], Word::Steady, 4, 4)]
#[case::held_and_failed_in_one_run(&["p", "pf"], Word::Flaky, 2, 3)]
#[case::held_and_failed_in_two_runs_of_the_same_programs(&["p", "f", "p"], Word::Flaky, 2, 3)]
#[case::never_held(&["f", "ff"], Word::Failing, 0, 3)]
#[case::nothing_was_said(&["?", "s"], Word::Unjudged, 0, 0)]
#[case::what_says_nothing_does_not_count(&["p", "?", "s"], Word::Steady, 1, 1)]
fn a_case_has_a_word_and_a_share(#[case] turns: &[&str], #[case] word: Word, #[case] held: u32, #[case] judged: u32) {
    let runs: Vec<Run> = (0..).zip(turns).map(|(number, turns)| run(number, &[("a", turns)])).collect();
    let found = history(&runs);
    let case = only(&found);
    assert_eq!((case.word, case.held, case.judged, case.strip.len()), (word, held, judged, turns.len()));
}

#[test]
fn what_fails_since_another_program_came_is_changed_and_not_flaky() {
    let mut runs = [run(0, &[("a", "pp")]), run(1, &[("a", "ff")])];
    runs[1].cells[0].binaries.insert("jobsworth-controller".to_owned(), "beef".to_owned());
    let found = history(&runs);
    assert_eq!((only(&found).word, only(&found).settings), (Word::Changed, 2));
    runs[1].cells = runs[0].cells.clone();
    assert_eq!(only(&history(&runs)).word, Word::Flaky);
}

#[test]
fn strips_are_in_the_order_of_time_however_the_runs_were_found() {
    let found = history(&[run(2, &[("a", "f")]), run(0, &[("a", "p")]), run(1, &[("a", "pf")])]);
    let strip: Vec<Said> = only(&found).strip.iter().map(|mark| mark.said).collect();
    assert_eq!(strip, [Said::Held, Said::Flaky, Said::Failed]);
    assert_eq!(found.runs.iter().map(|run| run.run.as_str()).collect::<Vec<_>>(), ["run-0000", "run-0001", "run-0002"]);
}

fn write(folder: &Path, run: &Run) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("run.json"), store::json(run)).unwrap();
}

#[test]
fn runs_are_found_below_a_folder_and_those_that_cannot_be_counted_are_named() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    write(&at("a"), &run(0, &[("a", "p")]));
    write(&at("2026/11/b"), &run(1, &[("a", "f")]));
    write(&at("copy-of-a"), &run(0, &[("a", "p")]));
    write(&at("killed"), &Run { state: State::Running, ..run(2, &[]) });
    write(&at("empty"), &run(3, &[]));
    fs::create_dir_all(at("cut")).unwrap();
    fs::write(at("cut/run.json"), "{\"schema\": \"jobsw").unwrap();
    fs::create_dir_all(at("something/else")).unwrap();
    let found = gather(root.path()).unwrap();
    let folders: Vec<&str> = found.runs.iter().map(|run| run.folder.as_str()).collect();
    assert_eq!(folders, ["a", "2026/11/b"]);
    let out: Vec<(&str, &str)> = found.left_out.iter().map(|it| (it.folder.as_str(), it.because.as_str())).collect();
    for (place, says) in
        [("copy-of-a", "counted already"), ("cut", "cut off"), ("empty", "no case"), ("killed", "did not end in order")]
    {
        assert!(out.iter().any(|(folder, because)| *folder == place && because.contains(says)), "{place}: {out:?}");
    }
    assert_eq!(out.len(), 4);
}

#[test]
fn a_folder_of_one_run_is_a_history_and_a_missing_one_is_told() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), &run(0, &[("a", "ppf")]));
    let found = gather(root.path()).unwrap();
    assert_eq!((found.runs[0].folder.as_str(), only(&found).word), (".", Word::Flaky));
    assert!(gather(&root.path().join("missing")).unwrap_err().to_string().contains("failed to read"));
}

fn some() -> History {
    let mut runs: Vec<Run> = (0..40)
        .map(|number| {
            let flaky = if number % 7 == 3 { "pf" } else { "pp" };
            run(
                number,
                &[
                    ("flaky", flaky),
                    ("steady", "p"),
                    ("failing", "f"),
                    ("skipped", "s"),
                    ("once", if number == 5 { "?" } else { "p" }),
                ],
            )
        })
        .collect();
    runs[39].cells[0].binaries.clear();
    let mut found = history(&runs);
    let because = "it was cut off \u{1b}[31m".to_owned();
    found.left_out.push(super::wire::LeftOut { folder: "cut".to_owned(), because });
    found
}

#[test]
fn a_history_in_words() {
    insta::assert_snapshot!(text(&some(), Volume::Normal, Paint::PLAIN));
    insta::assert_snapshot!(text(&some(), Volume::Verbose, Paint::PLAIN));
}

#[test]
fn the_json_is_valid_by_its_schema_and_survives_being_written_down() {
    let found = some();
    let written = serde_json::to_value(&found).unwrap();
    let validator = jsonschema::validator_for(json_schema().as_value()).unwrap();
    let mistakes: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert!(mistakes.is_empty(), "{mistakes:?}");
    assert_eq!(serde_json::from_value::<History>(written).unwrap(), found);
}

#[test]
fn the_page_obeys_one_style_and_no_script() {
    let page = html(&some());
    let page = Html::parse_document(&page);
    assert_eq!(rules::broken(&html(&some())), Vec::<String>::new());
    let all = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    assert_eq!((all("script"), all("style"), all("link"), all("img")), (0, 1, 0, 0));
    let selector = Selector::parse("meta[http-equiv=Content-Security-Policy]").unwrap();
    let policy = page.select(&selector).next().unwrap().attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("script-src"), "{policy}");
    // Flaky and failing stand above; steady, once and skipped below; a strip has thirty runs at most.
    assert_eq!((all("#attention tbody tr"), all("#steady tbody tr")), (2, 3));
    assert_eq!(all("#attention tbody tr:first-child td:last-child span"), 30);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn hostile_names_add_no_element_and_no_control(
        name in prop_oneof![Just(NASTY.to_owned()), Just("</style><script>alert(1)</script>".to_owned()), "\\PC{1,40}"],
    ) {
        let mut hostile = run(0, &[("a", "pf")]);
        hostile.id = name.clone();
        hostile.program.version = name.clone();
        hostile.cases.iter_mut().for_each(|case| (case.case, case.cell) = (name.clone(), name.clone()));
        let mut books = Books::default();
        books.take(&name, &hostile).unwrap();
        let found = books.close(vec![super::wire::LeftOut { folder: name.clone(), because: name.clone() }]);
        let page = html(&found);
        prop_assert!(!page.chars().any(|c| c != '\n' && c != '\t' && jobsworth_swimlane::plain::is_hostile(c)));
        let parsed = Html::parse_document(&page);
        prop_assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let plain = Html::parse_document(&html(&history(&[run(0, &[("a", "pf")])])));
        let elements = |page: &Html| page.select(&Selector::parse("main *").unwrap()).count();
        // What was left out has a list of its own: details, summary, strong, ul, li, code.
        prop_assert_eq!(elements(&parsed), elements(&plain) + 6);
        let told = text(&found, Volume::Verbose, Paint::PLAIN);
        prop_assert!(!told.chars().any(|c| c != '\n' && jobsworth_swimlane::plain::is_hostile(c)), "{told:?}");
    }

    #[test]
    fn no_turn_is_lost(turns in prop::collection::vec("[pf?s]{1,6}", 1..20)) {
        let runs: Vec<Run> = (0..).zip(&turns).map(|(number, turns)| run(number, &[("a", turns)])).collect();
        let found = history(&runs);
        let case = only(&found);
        let count = |wanted: &[char]| turns.iter().flat_map(|it| it.chars()).filter(|c| wanted.contains(c)).count() as u32;
        prop_assert_eq!((case.held, case.judged), (count(&['p']), count(&['p', 'f'])));
        prop_assert_eq!((case.inconclusive, case.skipped), (count(&['?']), count(&['s'])));
        prop_assert!(case.low <= case.high);
    }
}

#[test]
fn a_history_of_ten_thousand_turns_is_counted_and_fits_on_a_page() {
    let names: Vec<String> = (0..250).map(|number| format!("case-{number}")).collect();
    let cases: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "p")).collect();
    let runs: Vec<Run> = (0..40).map(|number| run(number, &cases)).collect();
    let found = history(&runs);
    assert_eq!((found.runs.len(), found.cases.len()), (40, 250));
    assert!(html(&found).len() < 1_000_000, "{}", html(&found).len());
}
