//! What the text of a load says.

use std::collections::BTreeMap;

use super::*;
use crate::load::control::{Control, Noise};
use crate::load::installed::Unmeasured;
use crate::load::interval::Sureness;
use crate::load::record::Circumstances;
use crate::load::sample;
use crate::load::witness::{Scope, Witnesses};
use crate::slo::answer::Answer;

#[test]
fn a_void_trial_says_why_and_a_whole_one_what_it_took() {
    let trial = Trial { workload: "indexed-500".to_owned(), arm: "builtin".to_owned(), ..Trial::default() };
    let void = Trial { void: Some("warm-up".to_owned()), ..trial.clone() };
    assert!(line(&void).ends_with("void: warm-up"));
    let circumstances =
        Circumstances { driver_lag_p99_ms: Some(12.0), probe_p99_ms: Some(3.0), ..Circumstances::default() };
    let figures = BTreeMap::from([("makespan".to_owned(), 9500.0), ("cpu-s".to_owned(), 1.25)]);
    let whole = line(&Trial { figures, circumstances, ..trial });
    assert!(whole.contains("makespan 9500 ms  cpu 1.25 s  driver p99 12.00 ms  observer p99 3.00 ms"), "{whole}");
}

#[test]
fn what_can_be_done_without_a_controller_is_told_before_the_trials_and_in_the_end() {
    let mut record = sample::record_alone("builtin", "indexed-500", &[]);
    record.server = Some(sample::capacity(900.0));
    assert!(news(&record).contains("900 writes a second") && whole(&record).contains("pods by direct"));
    record.baseline = Some(sample::baseline());
    let says =
        "without a controller the direct driver ends 250 pods a second (500 of 500 bare pods in 2.0 s), 5.00 times";
    assert!(news(&record).starts_with(says), "{}", news(&record));
    assert!(whole(&record).contains(&format!("\nBaseline: {says}")), "{}", whole(&record));
}

#[test]
fn what_could_not_be_measured_is_told_once_and_no_budget_is_made_up() {
    let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0]);
    assert!(whole(&record).contains("100 QPS, burst 100"));
    record.rate = None;
    record.installed = Some(Unmeasured { provider: "existing".to_owned(), absent: vec!["its memory".to_owned()] });
    let text = whole(&record);
    assert!(text.contains("a budget that is not known") && !text.contains("QPS"), "{text}");
    assert!(text.contains("not measured on a cluster by existing: its memory"), "{text}");
}

#[test]
fn a_search_shows_every_probe_and_what_is_known_of_the_largest_rate() {
    let mut record = sample::record_alone("builtin", "churn", &[]);
    record.largest_rates = Some(sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Backlog))]));
    let text = whole(&record);
    assert!(text.contains("builtin holds 8 to 16 Jobs a second (the backlog grows), 2 probes"), "{text}");
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("builtin ")).count(), 3, "{text}");
    record.trials.push(Trial { side: Side::Head, pair: 1, arm: "builtin".to_owned(), ..Trial::default() });
    assert!(news(&record).contains("16 Jobs a second: the backlog grows"), "{}", news(&record));
    record.largest_rates = Some(sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Undrained))]));
    let late = Trial { void: Some("7 Jobs had not ended".to_owned()), undrained: Some(7), ..record.trials[0].clone() };
    record.trials.push(late);
    assert!(news(&record).contains("16 Jobs a second: the backlog did not drain in time"), "{}", news(&record));
    assert_eq!(record.spoiled().count(), 0, "what it did not hold is an answer");
    let warm_up = Trial { warm_up: true, void: Some("noise".to_owned()), ..record.trials[1].clone() };
    record.trials.push(warm_up);
    assert!(news(&record).ends_with("void: noise"), "of a warm-up nothing is told but that: {}", news(&record));
}

#[test]
fn witnesses_that_disagree_are_told_of() {
    let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0, 9100.0]);
    assert!(!whole(&record).contains("Witnesses"));
    let witnesses = Witnesses {
        audit: 1003,
        watches: 0,
        client: Some(1103),
        client_counts: Some(Scope::Everything),
        audit_of_client: Some(1003),
        server: Some(1003),
        disagreement_percent: Some(9.07),
        disagree: true,
    };
    record.trials[0].witnesses = Some(Witnesses { disagree: false, ..witnesses.clone() });
    record.trials[1] = Trial { witnesses: Some(witnesses), arm: "builtin".to_owned(), ..record.trials[1].clone() };
    let text = whole(&record);
    assert!(text.contains("agree in 1 trials and disagree in 1\n  builtin, indexed-500, trial 1:"), "{text}");
}

#[test]
fn tenants_have_their_tables_below_the_figures() {
    let text = whole(&sample::record_beside_tenants());
    let (figures, tenants) = text.split_once("\n\nTenants (closed loop)").expect("there are some");
    assert!(figures.contains("indexed-500-tenants") && tenants.contains("GET job: poll"), "{text}");
    assert!(tenants.contains("With tenants over without") && tenants.contains("1.50"), "{text}");
}

#[test]
fn a_soak_shows_what_grows_and_whether_it_grows_too_much() {
    let mut record = sample::record_alone("builtin", "soak", &[]);
    record.soaks = vec![sample::soak(12.0)];
    let text = whole(&record);
    assert!(text.contains("memory-mib") && text.contains("at most 8 MiB/h: missed"), "{text}");
}

#[test]
fn a_ratio_is_shown_with_its_goal_and_its_pairs() {
    let few = Ratio { median: 0.975, pairs: BTreeMap::from([(0, 0.95), (1, 1.0)]), ..sample::ratio(Some(Answer::Met)) };
    let wanted = ["0.97", "0.80, 0.82", "", "1.00", "met by 2 pairs, no interval", "0.95 1.00"];
    assert_eq!(row(&few, "0.80, 0.82".to_owned())[4..], wanted.map(str::to_owned));
    let none = Ratio { pairs: BTreeMap::new(), answer: Some(Answer::NotMeasured), ..few.clone() };
    assert_eq!(row(&none, String::new())[2..], ["", "", "", "", "", "1.00", "not measured", ""].map(str::to_owned));
    let sureness = Some(Sureness { low: 0.94, high: 1.06, sign: 1.0 });
    let many = Ratio { sureness, interval_goal: Some(1.05), answer: Some(Answer::CannotTell), ..few };
    let wanted = ["0.97", "", "0.94–1.06", "1.00 (95 %: 1.05)", "cannot tell", "0.95 1.00"];
    assert_eq!(row(&many, String::new())[4..], wanted.map(str::to_owned));
}

#[test]
fn beside_the_ratio_of_makespans_stands_the_efficiency_of_both_sides() {
    let mut record = sample::record_alone("reference", "indexed-500", &[9000.0]);
    record.arms.insert(Side::Base, "builtin".to_owned());
    record.ratios = vec![Ratio { base: 18_060.0, head: 9030.0, ..sample::ratio(None) }];
    let text = whole(&record);
    let row = text.lines().find(|line| line.contains("makespan")).expect("there is one");
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>()[2..],
        ["18060", "9030", "0.50", "0.50,", "1.00", "0.50"],
        "{text}"
    );
}

#[test]
fn goals_are_counted_and_a_controller_beside_itself_has_none() {
    let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0]);
    record.arms.insert(Side::Base, "builtin".to_owned());
    record.ratios = [Answer::Met, Answer::CannotTell].map(|answer| sample::ratio(Some(answer))).into();
    assert!(whole(&record).contains("1 of 2 goals met, 1 cannot be told; 1 trials"), "{}", whole(&record));
    record.control = Some(Control { noise: Noise::Quiet, figures: Vec::new() });
    assert!(whole(&record).contains("control: quiet") && !whole(&record).contains("goals met"));
}
