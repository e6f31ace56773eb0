//! Plan files: good ones, wrong ones, hostile ones.

use super::*;
use jobsworth_api::{KubeVersion, Minor};
use rstest::rstest;

const HEAD: &str = "schema: jobsworth/plan/v1\nname: mine\n";

#[test]
fn a_whole_plan_is_read() {
    let text = format!(
        "{HEAD}says: Mine.\ncells:\n- kubernetes: 1.35.4\n  other-kubernetes: 1.37.1\n  emulate: 1.32\n  gates: {{JobSuccessPolicy: false}}\n  \
         controller: builtin\n  nodes: 2\n- {{}}\nfilter: suite(ttl)\njobs: 4\nrepeat: 2\nmax-fail: 3\n"
    );
    let plan = parse(&text, "mine.yaml").unwrap();
    assert_eq!((plan.name.as_str(), plan.jobs, plan.repeat, plan.max_fail), ("mine", Some(4), Some(2), Some(3)));
    assert_eq!(plan.filter.unwrap().text, "suite(ttl)");
    let empty = CellRequest::default();
    let emulating = CellRequest {
        kubernetes: Some(KubeVersion::new(1, 35, 4)),
        other: Some(KubeVersion::new(1, 37, 1)),
        emulate: Some(Minor::new(1, 32)),
        gates: BTreeMap::from([("JobSuccessPolicy".to_owned(), false)]),
        controller: Some(Subject::built_in()),
        nodes: Some(2),
    };
    assert_eq!(plan.cells, [emulating, empty]);
}

#[rstest]
#[case::an_unknown_key("jbos: 3\n", "line 3, column 1: there is no key `jbos` here")]
#[case::an_unknown_key_in_a_cell("cells:\n- kubernets: 1.37.1\n", "line 4, column 3: there is no key `kubernets` here")]
#[case::a_wrong_type("jobs: many\n", "line 3, column 7: invalid u16")]
#[case::a_list_for_a_text("says: [a]\n", "line 3, column 7: ")]
#[case::a_matrix_that_does_not_say_how(
    "matrix:\n  controller: [builtin]\n",
    "line 4, column 3: the key `combine` is missing"
)]
#[case::a_matrix_of_nonsense("matrix:\n  combine: all\n  emulate: [ours]\n", "line 5, column 13: ")]
#[case::a_key_twice("jobs: 3\njobs: 4\n", "line 4, column 1: the key `jobs` is given twice")]
#[case::a_gate_twice(
    "cells:\n- gates:\n    JobManagedBy: true\n    JobManagedBy: false\n",
    "line 6, column 5: the key `JobManagedBy` is given twice"
)]
#[case::no_yaml("cells: [\n", "line 3, column 8: unclosed bracket")]
#[case::two_documents("---\na: b\n", "line 3, column 1: ")]
#[case::a_number_out_of_range("jobs: 0\n", "line 3, column 7: `jobs` is 0; it goes from 1 to 256")]
#[case::not_a_version("cells:\n- kubernetes: 1.36\n", "line 4, column 15: `1.36` is not a Kubernetes version")]
#[case::an_unknown_gate(
    "cells:\n- gates: {JobSucessPolicy: true}\n",
    "line 4, column 28: there is no feature gate `JobSucessPolicy`"
)]
#[case::an_unknown_controller("cells:\n- controller: volcano\n", "line 4, column 15: there is no controller `volcano`")]
#[case::a_wrong_filter("filter: siute(x)\n", "line 3, column 9: the filter is wrong at its column 1")]
fn a_mistake_is_told_with_its_place(#[case] tail: &str, #[case] expected: &str) {
    let error = parse(&format!("{HEAD}{tail}"), "mine.yaml").unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with(&format!("failed to read the plan mine.yaml: {expected}")), "{said}");
}

#[test]
fn every_mistake_of_meaning_is_told_at_once() {
    let text = "schema: other/v1\nname: My Plan\njobs: 0\ncells:\n- kubernetes: new\n";
    let error = parse(text, "mine.yaml").unwrap_err();
    let places: Vec<(usize, usize)> = error.problems.iter().map(|problem| (problem.line, problem.column)).collect();
    assert_eq!(places, [(1, 9), (2, 7), (3, 7), (5, 15)]);
    let drawn: Vec<&str> = error.problems.iter().map(|p| &text[p.offset..p.offset + p.length]).collect();
    assert_eq!(drawn, ["other/v1", "My", "0", "new"]);
}

#[test]
fn a_bomb_of_aliases_is_refused_quickly() {
    let mut text = format!("{HEAD}cells:\n- gates: &a0 {{JobManagedBy: true}}\n");
    text.push_str("says: &b0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = level - 1;
        text.push_str(&format!("k{level}: &b{level} [{}]\n", vec![format!("*b{below}"); 10].join(", ")));
    }
    let started = std::time::Instant::now();
    assert!(parse(&text, "bomb.yaml").is_err());
    assert!(started.elapsed().as_secs() < 5);
}

#[rstest]
#[case::lists("says: ", "[", 5_000)]
#[case::maps("says: ", "{a: ", 5_000)]
fn deep_nesting_is_refused(#[case] key: &str, #[case] open: &str, #[case] times: usize) {
    assert!(parse(&format!("{HEAD}{key}{}", open.repeat(times)), "deep.yaml").is_err());
}

#[test]
fn a_file_of_five_megabytes_is_refused_unread() {
    let error = parse(&"#".repeat(5 * 1024 * 1024), "large.yaml").unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to read the plan large.yaml: it has 5242880 bytes; the largest plan file has 3145728"
    );
}

#[test]
fn a_tail_of_zeroes_in_a_version_is_not_lost() {
    let plan = parse(&format!("{HEAD}cells:\n- emulate: 1.30\n"), "mine.yaml").unwrap();
    assert_eq!(plan.cells[0].emulate, Some(Minor::new(1, 30)));
}

const AXES: &str = "  kubernetes: [1.37.1, 1.35.4]\n  emulate: [own, '1.32']\n  gates: [{}, {JobSuccessPolicy: false}]\n  controller: [builtin, reference]\n";

#[test]
fn a_matrix_becomes_the_cells_that_can_exist_and_tells_of_the_others() {
    let plan =
        parse(&format!("{HEAD}cells:\n- kubernetes: 1.37.1\nmatrix:\n  combine: all\n{AXES}"), "mine.yaml").unwrap();
    let (versions, left_out): (Vec<String>, _) = (plan.cells.iter().map(shown).collect(), plan.left_out.join("\n"));
    insta::assert_snapshot!(format!("{}\n\n{left_out}", versions.join("\n")));
}

#[test]
fn pairwise_makes_fewer_cells_and_says_how_many_it_left_out() {
    let count = |combine: &str| {
        let plan = parse(&format!("{HEAD}matrix:\n  combine: {combine}\n{AXES}"), "mine.yaml").unwrap();
        (plan.cells.len(), plan.left_out.iter().any(|what| what.contains("every two values meet in the others")))
    };
    let (all, few) = (count("all"), count("pairwise"));
    assert!(few.0 < all.0 && few.1 && !all.1, "{all:?} {few:?}");
}

fn shown(cell: &CellRequest) -> String {
    let version = cell.kubernetes.map(|version| version.to_string()).unwrap_or_default();
    let emulate = cell.emulate.map(|minor| format!(" as {minor}")).unwrap_or_default();
    format!(
        "{version}{emulate} {:?} {}",
        cell.gates,
        cell.controller.as_ref().map_or("-", |subject| subject.name.as_str())
    )
}

#[test]
fn a_controller_that_was_found_takes_its_place_in_the_cells_too() {
    let own = "controllers:\n- name: mine\n  command: [mine]\n  ownership: drop-in\ncells:\n- controller: mine\n- controller: builtin\n";
    let plan = parse(&format!("{HEAD}{own}"), "mine.yaml").unwrap();
    let found = plan.controllers.iter().map(|own| own.clone().named_by(&["--found"])).collect::<Vec<_>>();
    let plan = plan.with_controllers(found.clone());
    let controllers: Vec<Option<Subject>> = plan.cells.into_iter().map(|cell| cell.controller).collect();
    assert_eq!(controllers, [Some(found[0].clone()), Some(Subject::built_in())]);
}
