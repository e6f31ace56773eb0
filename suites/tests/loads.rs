//! Load profiles that come along: each is read, keeps the names by which it was called before, and says what its figures mean.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use jobsworth_harness::load::floor;
use jobsworth_harness::load::goal::Goal;
use jobsworth_harness::load::profile::{self, Profile};
use jobsworth_harness::load::workload::{InitialState, PodsBy};
use jobsworth_suites::CATALOGUE;
use rstest::rstest;
use std::{collections::BTreeSet, path::Path};

fn all() -> Vec<Profile> {
    CATALOGUE.loads.iter().map(|(name, text)| profile::parse(text, name).unwrap()).collect()
}

fn one(name: &str) -> Profile {
    all().into_iter().find(|profile| profile.is_called(name)).unwrap()
}

#[test]
fn every_file_comes_along_under_its_own_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("load");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().replace('_', "-")).collect();
    let named: BTreeSet<String> = all().into_iter().map(|profile| profile.workload.name).collect();
    assert_eq!(named, files);
    assert!(CATALOGUE.loads.iter().zip(all()).all(|((name, _), profile)| *name == profile.workload.name));
}

#[test]
fn names_and_ids_are_one_of_a_kind() {
    let all = all();
    let ids = all
        .iter()
        .filter_map(|profile| profile.id.clone())
        .chain(all.iter().map(|profile| profile.workload.name.clone()));
    let (ids, count) = ids.fold((BTreeSet::new(), 0), |(mut ids, count), id| {
        ids.insert(id.to_lowercase());
        (ids, count + 1)
    });
    assert_eq!(ids.len(), count);
}

#[test]
fn what_is_run_when_nothing_is_named_is_what_it_always_was() {
    let usual: Vec<String> =
        all().into_iter().filter(|profile| profile.usual).map(|profile| profile.workload.name).collect();
    assert_eq!(usual, ["indexed-500", "policy-499", "ttl-1000", "small-behind-large"]);
}

/// The figures of the KEPs and of the anchors that they come from.
#[rstest]
#[case::w1("W1", 101, 1200)]
#[case::w1_not_indexed("anchor-2214-nonindexed", 101, 1200)]
#[case::w1b("W1b", 338, 2640)]
#[case::w2a("w2a", 1, 500)]
#[case::w2b("W2b", 1, 5000)]
// Of 24,000 completions: 2,000 that end, and 500 that run beside them.
#[case::w3("W3", 1, 2_500)]
#[case::w4("policy-499", 1, 500)]
#[case::w4_failed("W4f", 1, 500)]
#[case::w5("W5", 10_000, 0)]
#[case::w6("W6", 4_680, 4_680)]
#[case::w9("W9", 1_200, 3_000)]
#[case::w7("W7", 10_001, 10_001)]
#[case::w8("W8", 1, 1000)]
#[case::expiry("ttl-1000", 1000, 0)]
#[case::fairness("small-behind-large", 41, 600)]
fn each_has_as_many_jobs_and_pods_as_is_said(#[case] name: &str, #[case] jobs: usize, #[case] pods: usize) {
    let workload = one(name).workload;
    assert_eq!((workload.jobs(), *workload.pods().end()), (jobs, pods));
}

#[test]
fn the_anchor_cannot_be_done_in_less_than_26_seconds_at_100_requests_a_second() {
    let rate = jobsworth_harness::cluster::Rate { qps: 100, burst: 100 };
    assert_eq!(floor::requests(&one("W1").workload), Some(2703));
    assert_eq!(floor::makespan_ms(&one("W1").workload, rate), Some(26_030.0));
}

#[test]
fn the_large_rule_has_65532_bytes_and_11848_indexes() {
    let workload = one("W3").workload;
    let policy = workload.cohorts[0].policy.unwrap();
    assert_eq!((policy.succeeded_indexes().len(), policy.named(), policy.needed()), (65_532, 11_848, 1000));
}

#[test]
fn the_restart_finds_ten_thousand_jobs_and_ten_thousand_pods() {
    let workload = one("W7").workload;
    assert_eq!((workload.born(InitialState::Finished), workload.born(InitialState::Running)), (8000, 2000));
    assert_eq!(*workload.pods().start(), 10_000);
}

#[test]
fn the_group_of_large_profiles_is_called_by_its_name() {
    let large: Vec<String> =
        all().into_iter().filter(|profile| profile.is_called("scale")).map(|profile| profile.workload.name).collect();
    let wanted = [
        "indexed-500",
        "policy-499",
        "failed-499",
        "ttl-1000",
        "small-behind-large",
        "indexed-5k-rolling",
        "cold-restart",
        "suspend-500",
        "counted-500",
        "eternal-100k",
    ];
    assert_eq!(large.iter().collect::<BTreeSet<_>>(), wanted.map(str::to_owned).iter().collect());
    // The policy can be met by what succeeds, and what is left runs until it is.
    let eternal = one("eternal-100k").workload;
    assert_eq!(eternal.pods(), 750..=2100);
}

#[test]
fn kwok_plays_all_but_those_whose_pods_wait_for_a_word() {
    let refused = all().into_iter().filter(|profile| PodsBy::Kwok.refusal(&profile.workload).is_some());
    let refused: BTreeSet<String> = refused.map(|profile| profile.workload.name).collect();
    assert_eq!(refused, ["eternal-100k", "failed-499", "policy-499", "policy-64k"].map(str::to_owned).into());
}

/// What `--find-rate` and `--for` are about: the limit that W6 names, and a soak in which each cohort has a pace.
#[test]
fn the_churn_says_how_to_search_and_the_soak_what_it_is_held_against() {
    let search = one("W6").rate_search.unwrap();
    assert_eq!((search.probe.as_secs(), search.end_within.as_secs()), (60, 5));
    assert_eq!((search.scaled(50).probe.as_secs(), search.scaled(1).probe.as_secs()), (30, 5));
    assert_eq!(search.ratio_at_least, Some(1.05));
    assert_eq!(one("soak").memory_growth, Some(8.0));
}

/// A goal as a profile has it: the profile, the goal's name, the figure, the most that the ratio may be, and how far its interval may reach.
type Held = (String, String, String, String, String);

fn held(profile: &str, id: &str, figure: &str, at_most: f64, interval_at_most: Option<f64>) -> Held {
    let interval = interval_at_most.map_or_else(String::new, |most| format!("{most:.2}"));
    (profile.to_owned(), id.to_owned(), figure.to_owned(), format!("{at_most:.2}"), interval)
}

/// What stands between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The rows of docs/release-qualification.md whose goal the program holds a ratio of pairs against.
fn documented() -> BTreeSet<Held> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/release-qualification.md");
    let text = std::fs::read_to_string(file).unwrap();
    let mut all = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with("| G")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [goal, _, what, gate, by] = cells[..] else { panic!("not five cells: {line}") };
        // The largest rate is no ratio of pairs, and is held by `find-rate`.
        if !by.starts_with("program") || gate.starts_with("at least") {
            continue;
        }
        let id = goal.split(' ').next().unwrap();
        let (at_most, interval) = match gate.split_once(", interval up to ") {
            Some((at_most, interval)) => (at_most.parse().unwrap(), Some(interval.parse().unwrap())),
            None => (gate.parse().unwrap(), None),
        };
        let (profiles, figures) = what.split_once(": ").unwrap();
        for profile in quoted(profiles) {
            all.extend(quoted(figures).into_iter().map(|figure| held(profile, id, figure, at_most, interval)));
        }
    }
    all
}

/// What the reference controller should reach against the built-in one: whoever reads the table of a load finds each goal by its name.
#[test]
fn every_goal_of_the_release_is_held_by_its_profiles_under_its_name_and_by_no_other() {
    let mut of_profiles = BTreeSet::new();
    for profile in all() {
        for Goal { id, figure, at_most, interval_at_most } in &profile.goals {
            if let Some(id) = id {
                of_profiles.insert(held(&profile.workload.name, id, figure, *at_most, *interval_at_most));
            }
        }
    }
    assert_eq!(of_profiles, documented());
    let ids: BTreeSet<&str> = of_profiles.iter().map(|(_, id, ..)| id.as_str()).collect();
    // G9 has its largest rate besides.
    assert_eq!(ids.len(), 13, "{ids:?}");
}
