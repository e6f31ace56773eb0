//! Every case runs somewhere: a plan that comes along has a cell in which it fits. Nothing is started for that.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use jobsworth_harness::plan::{self, Request, Resolved, file, provider, request::Flags};
use jobsworth_suites::CATALOGUE;
use std::collections::BTreeSet;

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
fn a_case_that_fits_no_cell_is_told_with_the_need_that_none_meets() {
    let text = "schema: jobsworth/plan/v1\nname: one\ncells: [{kubernetes: 1.36.4}]\n";
    let reasons = why_nowhere(&[resolved("one", text)], "validation/a-gang-keeps-its-size").unwrap();
    assert_eq!(reasons, BTreeSet::from(["needs a gate on: GenericWorkload is off".to_owned()]));
}
