//! Records of `load` side by side: same machine, another one, conditions that do not compare.

use super::*;
use crate::load::goal::Goal;
use crate::{
    cluster::Rate,
    compare::Told as _,
    load::{comparison::SliceOf, installed::Unmeasured, record::Trial, workload::PodsBy},
    report::{console::Paint, schema::Host},
};
use proptest::prelude::*;
use rstest::rstest;

/// A record of one workload with one figure: what the yardstick and the controller took in each pair.
fn record(pairs: &[(f64, f64)]) -> Comparison {
    let trial = |pair: usize, side: Side, value: f64| Trial {
        workload: "indexed-500".to_owned(),
        pair: u32::try_from(pair).unwrap(),
        side,
        figures: BTreeMap::from([("makespan".to_owned(), value)]),
        ..Trial::default()
    };
    let trials = pairs.iter().enumerate();
    let trials =
        trials.flat_map(|(pair, (base, head))| [trial(pair, Side::Base, *base), trial(pair, Side::Head, *head)]);
    let trials: Vec<Trial> = trials.collect();
    let goal = Goal { id: None, figure: "makespan".to_owned(), at_most: 1.0, interval_at_most: None };
    let goals = Goals::default().with("indexed-500", vec![goal]);
    Comparison {
        ratios: ratio::all(&trials, &goals),
        profiles: Vec::new(),
        server: None,
        baseline: None,
        schema: crate::load::comparison::SCHEMA.to_owned(),
        program: "0.1.0".to_owned(),
        argv: Vec::new(),
        started: "2026-11-20T10:00:03Z".to_owned(),
        kubernetes: "1.37.1".to_owned(),
        binaries: Vec::new(),
        host: Host { cores: 2, ..Host::default() },
        arms: BTreeMap::from([(Side::Base, "builtin".to_owned()), (Side::Head, "reference".to_owned())]),
        rate: Some(Rate { qps: 100, burst: 100 }),
        workers: None,
        installed: None,
        slice: None,
        slices: None,
        scale_percent: 100,
        pods: PodsBy::default(),
        lag_limit_ms: 500,
        driver_lag_limit_ms: None,
        observer_lag_limit_ms: None,
        on_noise: None,
        seed: None,
        tenants: None,
        trials,
        control: None,
        largest_rates: None,
        soaks: Vec::new(),
        stopped: None,
    }
}

fn steady(base: f64, head: f64) -> Vec<(f64, f64)> {
    (0..5).map(|pair| (base + f64::from(pair), head + f64::from(pair))).collect()
}

fn compared(base: &Comparison, head: &Comparison) -> LoadComparison {
    compare(base, head, Bar::default()).unwrap()
}

fn words(found: &LoadComparison) -> Vec<(Of, Word, bool)> {
    found.figures.iter().map(|figure| (figure.of, figure.word, figure.regression)).collect()
}

#[test]
fn a_controller_that_got_slower_beside_the_other_is_one_regression() {
    let found = compared(&record(&steady(1_000.0, 900.0)), &record(&steady(1_000.0, 1_300.0)));
    let (ratio, controller, yardstick) = (Of::Ratio, Of::Controller, Of::Yardstick);
    let expected = [(ratio, Word::Worse, true), (controller, Word::Worse, false), (yardstick, Word::Alike, false)];
    assert_eq!(words(&found), expected, "the ratio speaks for the controller");
    assert_eq!(found.regressions, 1);
}

#[test]
fn a_machine_that_was_slower_that_day_is_no_regression() {
    let found = compared(&record(&steady(1_000.0, 900.0)), &record(&steady(2_000.0, 1_800.0)));
    assert_eq!(found.regressions, 0, "{:?}", words(&found));
    assert!(found.text(Paint::PLAIN).contains("the machine was slower"), "{}", found.text(Paint::PLAIN));
}

#[test]
fn between_machines_only_ratios_are_compared() {
    let mut elsewhere = record(&steady(300.0, 400.0));
    elsewhere.host.cores = 64;
    let found = compared(&record(&steady(1_000.0, 900.0)), &elsewhere);
    assert_eq!(words(&found), [(Of::Ratio, Word::Worse, true)]);
    assert_eq!(found.differences[0].about, "machine: cores");
    let text = found.text(Paint::PLAIN);
    assert!(text.contains("only ratios are compared"), "{text}");
}

#[test]
fn a_figure_without_a_ratio_is_judged_by_itself() {
    // Below zero there is no ratio.
    let found = compared(&record(&steady(-1_000.0, 900.0)), &record(&steady(-1_000.0, 1_300.0)));
    assert_eq!(words(&found), [(Of::Controller, Word::Worse, true), (Of::Yardstick, Word::Alike, false)]);
}

/// The same record, of another figure and ten times smaller.
fn of_figure(name: &str, mut record: Comparison) -> Comparison {
    for trial in &mut record.trials {
        trial.figures = trial.figures.values().map(|value| (name.to_owned(), *value / 10.0)).collect();
    }
    record
}

#[rstest]
#[case::a_rate_that_is_held("rate-held", Word::Better)]
#[case::how_far_the_status_is_behind("pods-behind.p50", Word::Worse)]
fn a_figure_that_is_no_time_has_no_floor_and_says_itself_whether_more_is_better(
    #[case] figure: &str,
    #[case] word: Word,
) {
    let base = of_figure(figure, record(&steady(100.0, 10.0)));
    let head = of_figure(figure, record(&steady(100.0, 20.0)));
    let found = compared(&base, &head);
    let controller = found.figures.iter().find(|change| change.of == Of::Controller).unwrap();
    assert_eq!(controller.word, word);
}

#[test]
fn too_few_pairs_are_told_with_the_number_that_would_do() {
    let two = [(1_000.0, 900.0), (1_001.0, 901.0)];
    let found = compared(&record(&two), &record(&two));
    assert_eq!((found.pairs_needed, found.regressions), (Some(3), 0));
    assert!(found.figures.iter().all(|figure| figure.word == Word::TooFew));
    assert!(found.text(Paint::PLAIN).contains("--pairs 3"));
}

#[rstest]
#[case::a_rate(
    |head: &mut Comparison| head.rate = Some(Rate { qps: 50, burst: 100 }),
    "100 QPS and a burst of 100 in BASE, 50 QPS and a burst of 100 in HEAD"
)]
#[case::workers(
    |head: &mut Comparison| head.workers = Some(50),
    "the built-in controller had its own workers in BASE, 50 in HEAD"
)]
#[case::a_rate_that_nobody_knows(|head: &mut Comparison| head.rate = None, "a budget that is not known in HEAD")]
#[case::another_kind_of_cluster(
    |head: &mut Comparison| {
        head.installed = Some(Unmeasured { provider: "kind".to_owned(), absent: Vec::new() });
    },
    "BASE was measured on a cluster by local, HEAD by kind"
)]
#[case::a_size(|head: &mut Comparison| head.scale_percent = 5, "100 % of their size in BASE, 5 % in HEAD")]
#[case::a_slice(
    |head: &mut Comparison| {
        head.slice = Some(SliceOf { partition: "slice:1/3".to_owned(), cluster: "u".to_owned(), trials: 1 });
    },
    "of the load all was done in BASE, slice:1/3 in HEAD"
)]
#[case::joined_slices(|head: &mut Comparison| head.slices = Some(3), "by 1 slices in BASE, by 3 in HEAD")]
#[case::other_pods(|head: &mut Comparison| head.pods = PodsBy::Kwok, "by the driver `direct` in BASE, by `kwok` in HEAD")]
#[case::tenants(|head: &mut Comparison| head.tenants = Some(9), "there were 8 tenants beside trials in BASE, 9 in HEAD")]
#[case::a_yardstick(
    |head: &mut Comparison| { head.arms.insert(Side::Base, "reference".to_owned()); },
    "BASE was measured against the controller builtin, HEAD against reference"
)]
#[case::no_figure(|head: &mut Comparison| head.trials.clear(), "no figure in common")]
#[case::no_ratio(
    |head: &mut Comparison| { head.trials.retain(|trial| trial.side == Side::Head); head.host.cores = 1; },
    "only ratios compare, and they have none in common"
)]
fn what_does_not_compare_is_refused_with_the_reason(#[case] change: fn(&mut Comparison), #[case] says: &str) {
    let base = Comparison { tenants: Some(8), ..record(&steady(1_000.0, 900.0)) };
    let mut head = base.clone();
    change(&mut head);
    let error = compare(&base, &head, Bar::default()).unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn void_trials_do_not_count_and_are_told() {
    let base = record(&steady(1_000.0, 900.0));
    let mut head = base.clone();
    head.trials[0].void = Some("the driver was late".to_owned());
    let found = compared(&base, &head);
    assert_eq!(found.cautions[0], "1 of 10 trials of HEAD are void and do not count");
    assert_eq!(found.figures.iter().map(|figure| figure.head_samples).collect::<Vec<_>>(), [4, 5, 4]);
}

#[test]
fn in_words() {
    let mut head = record(&steady(1_000.0, 1_300.0));
    head.kubernetes = "1.37.2".to_owned();
    head.stopped = Some("stopped by SIGINT\u{1b}[31m".to_owned());
    let found = compared(&record(&steady(1_000.0, 900.0)), &head);
    insta::assert_snapshot!(found.text(Paint::PLAIN));
    insta::assert_snapshot!(found.markdown());
}

proptest! {
    #[test]
    fn a_record_compared_with_itself_is_alike(pairs in prop::collection::vec((1.0_f64..1e6, 1.0_f64..1e6), 1..12)) {
        let record = record(&pairs);
        let found = compared(&record, &record);
        prop_assert_eq!(found.regressions, 0);
        prop_assert!(found.figures.iter().all(|figure| matches!(figure.word, Word::Alike | Word::TooFew)));
    }
}
