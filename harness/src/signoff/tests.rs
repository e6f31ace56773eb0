//! Sheets over folders of runs as a run writes them: what is covered, what is a red line, what hostile names become.

use super::{
    kep::{self, Kep, KepError},
    sheet::{Sheet, State},
    stored,
};
use crate::{
    About, Case, Catalogue, Claim, Needs, Scene, Source, Stop,
    report::{
        escape::NASTY,
        html::rules,
        sample_folder::{self, write_run},
        schema::{Run, Verdict},
    },
};
use jobsworth_oracle::Expectations;
use rstest::rstest;
use scraper::{Html, Selector};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

struct Listed(&'static str, &'static [&'static str]);

impl Case for Listed {
    fn about(&self) -> About {
        let claim = Claim { source: Source::Kep(1), section: "Design", says: "it holds" };
        About { id: self.0, claim, requirements: self.1, needs: Needs::default() }
    }

    async fn script(&self, _: &mut Scene) -> Result<(), Stop> {
        Ok(())
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

const KEP: &str = "schema: jobsworth/kep/v1
kep: 4711
title: A feature
gates: [AFeature]
source: https://example.org/keps/4711
criteria:
- {section: Test Plan, says: Listed indexes decide., requirements: [SUC-002]}
- {section: Test Plan, says: A count decides., requirements: [SUC-002, SUC-003]}
- {section: Beta, says: A metric counts., requirements: [MET-005]}
- {section: Beta, says: Conditions do not contradict each other., requirements: [S02]}
- {section: GA, says: There is no negative feedback., by-hand: Only its owners hear it.}
";

const CATALOGUE: Catalogue = Catalogue {
    cases: &[&Listed("observe/manifest", &["SUC-002"]), &Listed("success-policy/a-count", &["SUC-003"])],
    requirements: "SUC-002 listed indexes\nSUC-003 a count\nMET-005 a metric\nS02 no contradiction",
    plans: &[],
    loads: &[],
    known_ends: &[],
    races: Vec::new,
    objectives: "",
    keps: &[("4711", KEP)],
};

fn kep() -> Kep {
    kep::find("KEP-4711", &CATALOGUE).unwrap()
}

fn stored() -> (TempDir, PathBuf, Run) {
    let all = tempdir().unwrap();
    let folder = all.path().join("run");
    let run = sample_folder::write(&folder, 3);
    (all, folder, run)
}

fn sheet(folders: &[&Path]) -> Sheet {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    let runs = stored::read(&folders, &|_| true, &|_| Ok(())).unwrap();
    Sheet::of(kep(), &runs, &CATALOGUE)
}

fn states(sheet: &Sheet) -> Vec<State> {
    sheet.lines.iter().map(|line| line.state).collect()
}

#[test]
fn what_nothing_has_shown_is_a_red_line_and_not_left_out() {
    let (_all, folder, _) = stored();
    let sheet = sheet(&[&folder]);
    assert_eq!(states(&sheet), [State::Covered, State::NotJudged, State::NoCase, State::Covered, State::ByHand]);
    assert_eq!(sheet.sum(), "2 of 5 criteria covered; 1 no case, 1 not judged here, 1 by hand");
    assert_eq!(sheet.worst(), State::NoCase);
    // The sums are those of recordings, which are made anew now and then.
    let sums = regex::Regex::new("[0-9a-f]{64}").unwrap();
    insta::assert_snapshot!(sums.replace_all(&super::markdown(&sheet), "SUM"));
}

#[test]
fn the_same_runs_make_the_same_bytes_wherever_they_lie_and_in_whichever_order() {
    let (all, folder, mut run) = stored();
    let other = all.path().join("other");
    sample_folder::write(&other, 1);
    run.id = "20261120-100004-aaaaa".to_owned();
    run.cases.truncate(1);
    write_run(&other, &run);
    let one = sheet(&[&folder, &other]);
    let elsewhere = tempdir().unwrap();
    let copy = |from: &Path, name: &str| {
        let to = elsewhere.path().join("deep/down").join(name);
        for file in crate::report::evidence::Evidence::files(&crate::report::evidence::FolderFiles::of(from)) {
            fs::create_dir_all(to.join(&file.path).parent().unwrap()).unwrap();
            fs::copy(from.join(&file.path), to.join(&file.path)).unwrap();
        }
        to
    };
    let again = sheet(&[&copy(&other, "other"), &copy(&folder, "run")]);
    for render in [super::markdown, super::html] {
        let text = render(&one);
        assert_eq!(text, render(&again));
        assert!(!text.contains(all.path().file_name().unwrap().to_str().unwrap()), "no path of this machine is in it");
    }
}

#[test]
fn a_page_leads_to_evidence_that_is_there_and_loads_nothing() {
    let (all, folder, _) = stored();
    let page = super::html(&sheet(&[&folder]));
    assert_eq!(rules::broken(&page), Vec::<String>::new());
    let read = Html::parse_document(&page);
    let all_of = |selector: &str| read.select(&Selector::parse(selector).unwrap()).collect::<Vec<_>>();
    let links: Vec<&str> = all_of("a").iter().map(|link| link.value().attr("href").unwrap()).collect();
    let files: Vec<&&str> = links.iter().filter(|link| link.starts_with("./")).collect();
    assert_eq!(files.len(), 5, "{links:?}");
    assert!(files.iter().all(|link| all.path().join(link).is_file()), "{files:?}");
    for inside in links.iter().filter_map(|link| link.strip_prefix('#')) {
        assert_eq!(all_of(&format!("[id='{inside}']")).len(), 1, "{inside}");
    }
    assert!(all_of("script, link, img, iframe").is_empty());
    let policy = all_of("meta[http-equiv]")[0].value().attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("script-src"), "{policy}");
}

#[rstest]
#[case::failed(Verdict::Fail, State::Broken)]
#[case::deviating(Verdict::Deviates, State::Deviates)]
#[case::inconclusive(Verdict::Inconclusive, State::Open)]
#[case::incomplete(Verdict::Incomplete, State::Open)]
fn one_turn_that_did_not_pass_decides(#[case] verdict: Verdict, #[case] state: State) {
    let (_all, folder, mut run) = stored();
    run.cases[1].verdict = verdict;
    write_run(&folder, &run);
    let sheet = sheet(&[&folder]);
    assert_eq!((states(&sheet)[0], sheet.lines[0].requirements[0].turns[0].passed), (state, 2));
}

#[test]
fn a_cell_that_was_not_proven_to_be_what_was_asked_for_covers_nothing() {
    let (_all, folder, mut run) = stored();
    run.cells[0].attested.as_mut().unwrap().holds = false;
    write_run(&folder, &run);
    let sheet = sheet(&[&folder]);
    assert_eq!((states(&sheet)[0], states(&sheet)[3]), (State::Open, State::Open));
}

#[test]
fn a_case_that_was_skipped_is_not_judged_and_the_reason_is_told() {
    let (_all, folder, mut run) = stored();
    run.cases[0].verdict = Verdict::Skip;
    run.cases[0].because = Some("needs a gate off: AFeature is on".to_owned());
    run.cases.truncate(1);
    write_run(&folder, &run);
    let line = &sheet(&[&folder]).lines[0];
    assert_eq!(line.state, State::NotJudged);
    assert_eq!(line.requirements[0].says, "not judged in these runs: observe/manifest (needs a gate off)");
}

#[test]
fn evidence_that_was_edited_or_is_gone_covers_nothing() {
    let (_all, folder, run) = stored();
    let path = |turn: usize| folder.join(run.cases[turn].timeline.as_deref().unwrap());
    fs::remove_file(path(0)).unwrap();
    fs::write(path(1), "edited").unwrap();
    let sheet = sheet(&[&folder]);
    assert_eq!(states(&sheet)[0], State::Open);
    let says = &sheet.lines[0].requirements[0].says;
    assert!(says.contains("its timeline is missing") && says.contains("its timeline was edited"), "{says}");
    let text = super::markdown(&sheet);
    assert!(text.contains("**✖ missing**") && text.contains("**✖ edited**: `"), "{text}");
}

#[test]
fn names_made_to_do_harm_stay_text() {
    let (_all, folder, mut run) = stored();
    let clean = super::html(&sheet(&[&folder]));
    run.cells[0].id = NASTY.to_owned();
    run.cells[0].subject = NASTY.to_owned();
    for case in &mut run.cases {
        (case.cell, case.case) = (NASTY.to_owned(), NASTY.to_owned());
    }
    run.program.version = "<script>alert(1)</script>".to_owned();
    write_run(&folder, &run);
    let sheet = sheet(&[&folder]);
    let skeleton = |page: &str| {
        let read = Html::parse_document(page);
        let names: Vec<String> =
            read.select(&Selector::parse("script, b, img, testcase, form").unwrap()).map(|one| one.html()).collect();
        names
    };
    assert_eq!(skeleton(&super::html(&sheet)), skeleton(&clean));
    let text = super::markdown(&sheet);
    assert!(!text.contains("<script") && !text.contains("<b>") && !text.contains('\u{1b}') && !text.contains("![x]"));
    // No name begins a line or ends a cell of a table.
    assert!(
        text.lines().filter(|line| line.starts_with("| C1 ")).all(|line| line.matches(" | ").count() == 7),
        "{text}"
    );
}

#[rstest]
#[case::as_a_title("KEP-4711")]
#[case::in_small_letters("kep 4711")]
#[case::as_a_number("4711")]
fn a_kep_has_several_spellings(#[case] asked: &str) {
    assert_eq!(kep::find(asked, &CATALOGUE).unwrap().number, 4711);
}

#[rstest]
#[case::another("4712")]
#[case::no_number("success-policy")]
#[case::nothing("")]
#[case::a_number_and_more("4711x")]
fn a_kep_that_nobody_knows_is_told_with_those_that_there_are(#[case] asked: &str) {
    let Err(KepError::Unknown { known, .. }) = kep::find(asked, &CATALOGUE) else { panic!("{asked} is known") };
    assert_eq!(known, ["KEP-4711: A feature"]);
}

#[rstest]
#[case::neither("says: x", "needs either `requirements` or `by-hand`")]
#[case::both("says: x, requirements: [A-1], by-hand: y", "needs either `requirements` or `by-hand`")]
#[case::another_key("says: x, requires: [A-1]", "there is no key `requires` here")]
fn a_criterion_is_shown_in_one_way(#[case] tail: &str, #[case] words: &str) {
    let text = format!("{}- {{section: s, {tail}}}\n", KEP.split_inclusive("criteria:\n").next().unwrap());
    let error = kep::read(&text, "x.yaml").unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}
