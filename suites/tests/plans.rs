//! Every case runs somewhere: a plan that comes along has a cell in which it fits. Nothing is started for that.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use jobsworth_harness::Share;
use jobsworth_harness::plan::{self, Request, Resolved, file, provider, request::Flags};
use jobsworth_suites::CATALOGUE;
use std::collections::BTreeSet;

/// What is run before a release.
const FOR_A_RELEASE: &str = include_str!("../../docs/release-qualification.md");

/// A plan as `run -P` resolves it. Plans for kubelets say so in their names, since a plan does not choose its provider.
fn resolved(name: &str, text: &str) -> Resolved<'static> {
    let request = Request::of(Flags::default(), Some(file::parse(text, name).unwrap()), 1, 8).unwrap();
    let provider = if name.starts_with("kind_") { "kind" } else { "local" };
    plan::resolve(request, "id".to_owned(), &CATALOGUE, provider::named(provider).unwrap()).unwrap()
}

/// Why no cell of these plans runs a case; nothing if one does.
fn why_nowhere(plans: &[Resolved<'_>], id: &str) -> Option<BTreeSet<String>> {
    let cells = || plans.iter().flat_map(|plan| &plan.run.cells);
    if cells().any(|cell| cell.turns.iter().any(|turn| turn.case.about().id == id)) {
        return None;
    }
    let skips = cells().flat_map(|cell| &cell.skips).filter(|(case, _)| case.about().id == id);
    Some(skips.map(|(_, because)| because.clone()).collect())
}

#[test]
fn every_case_runs_in_a_plan_that_comes_along() {
    let plans: Vec<Resolved<'_>> = CATALOGUE.plans.iter().map(|(name, text)| resolved(name, text)).collect();
    let mut nowhere = Vec::new();
    for case in CATALOGUE.cases {
        let id = case.about().id;
        if let Some(reasons) = why_nowhere(&plans, id) {
            let reasons: Vec<String> = reasons.into_iter().collect();
            nowhere.push(format!("{id}: {}", reasons.join("; ")));
        }
    }
    assert!(nowhere.is_empty(), "no plan of suites/plans runs these:\n{}", nowhere.join("\n"));
}

#[test]
fn a_known_deviation_names_sentences_that_its_case_has() {
    let invariants: BTreeSet<&str> = jobsworth_oracle::invariants::every().map(|invariant| invariant.id()).collect();
    let mut unknown = Vec::new();
    for case in CATALOGUE.cases {
        let expectations = case.expects();
        let claims: BTreeSet<&str> = expectations.iter().map(|claim| claim.says.as_str()).collect();
        let named = expectations.deviations().flat_map(|deviation| deviation.breaks);
        let missing = named.filter(|says| !claims.contains(*says) && !invariants.contains(*says));
        unknown.extend(missing.map(|says| format!("{}: {says}", case.about().id)));
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn a_known_end_is_known_of_cases_of_the_catalogue() {
    assert!(!CATALOGUE.known_ends.is_empty(), "docs/differences.md tells of one");
    for known in CATALOGUE.known_ends {
        let concerned = CATALOGUE.cases.iter().filter(|case| case.about().needs.gates.contains(&known.gate)).count();
        assert!(concerned > 0, "no case needs {}", known.gate);
    }
}

#[test]
fn what_is_run_on_request_is_no_part_of_a_run_that_names_nothing() {
    let text = "schema: jobsworth/plan/v1\nname: all\ncells: [{kubernetes: 1.37.1}]\n";
    let runs = |text: &str| -> BTreeSet<&'static str> {
        let plan = resolved("one", text);
        plan.run.cells.iter().flat_map(|cell| &cell.turns).map(|turn| turn.case.about().id).collect()
    };
    let (usual, named) = (runs(text), runs(&format!("{text}filter: suite(races) or suite(parallelism)\n")));
    let on_request = CATALOGUE.cases.iter().filter(|case| case.share() == Share::OnRequest);
    let ids: BTreeSet<&str> = on_request.map(|case| case.about().id).collect();
    assert!(!ids.is_empty() && ids.is_subset(&named) && ids.is_disjoint(&usual));
    assert!(named.intersection(&usual).count() > 10, "a few of each order are in every run");
}

#[test]
fn a_case_that_fits_no_cell_is_told_with_the_need_that_none_meets() {
    let text = "schema: jobsworth/plan/v1\nname: one\ncells: [{kubernetes: 1.36.4}]\n";
    let reasons = why_nowhere(&[resolved("one", text)], "validation/a-gang-keeps-its-size").unwrap();
    assert_eq!(reasons, BTreeSet::from(["needs a gate on: GenericWorkload is off".to_owned()]));
}

/// What stands behind a word in the command lines of the page about releases.
fn named_for_a_release(command: &str, before: &str) -> BTreeSet<&'static str> {
    let lines = FOR_A_RELEASE.lines().filter(|line| line.starts_with(command));
    lines.flat_map(|line| line.split(' ').skip_while(|word| *word != before).skip(1).take(1)).collect()
}

#[test]
fn plans_and_sheets_that_are_named_for_a_release_come_along() {
    let plans: BTreeSet<&str> = CATALOGUE.plans.iter().map(|(name, _)| *name).collect();
    let named = named_for_a_release("jobsworth run ", "-P");
    assert!(named.contains("release") && named.is_subset(&plans), "{named:?} of {plans:?}");
    let keps: BTreeSet<String> = CATALOGUE.keps.iter().map(|(number, _)| format!("KEP-{number}")).collect();
    let sheets = named_for_a_release("jobsworth signoff ", "signoff");
    assert!(!sheets.is_empty() && sheets.iter().all(|kep| keps.contains(*kep)), "{sheets:?} of {keps:?}");
}

#[test]
fn load_profiles_that_are_named_for_a_release_come_along() {
    let loads = FOR_A_RELEASE.lines().filter_map(|line| line.strip_prefix("jobsworth load "));
    let named: BTreeSet<&str> =
        loads.flat_map(|words| words.split(' ').take_while(|word| !word.starts_with('-'))).collect();
    let comes_along = |word: &str| {
        let keys = [format!("name: {word}"), format!("id: {word}")];
        CATALOGUE.loads.iter().any(|(_, text)| text.lines().any(|line| keys.iter().any(|key| key == line)))
    };
    let unknown: Vec<&str> = named.iter().copied().filter(|word| !comes_along(word)).collect();
    assert!(named.contains("W1") && unknown.is_empty(), "{unknown:?} of {named:?}");
}
