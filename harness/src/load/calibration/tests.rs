//! What a machine is held to: only what was measured as its calibration was, on every side, and never nothing instead of something.

use rstest::rstest;

use super::*;
use crate::load::sample;

fn record(makespans: &[f64]) -> Comparison {
    let mut record = sample::record_alone("reference", "indexed-500", makespans);
    record.server = Some(sample::capacity(1000.0));
    record
}

/// The same controller on both sides.
fn on_both_sides(base: &[f64], head: &[f64]) -> Comparison {
    let mut both = record(head);
    let mut others = record(base).trials;
    others.iter_mut().for_each(|trial| trial.side = Side::Base);
    both.trials.extend(others);
    both.arms.insert(Side::Base, "reference".to_owned());
    both
}

/// As many trials, of which each held a pace.
fn paced(rates: &[f64]) -> Comparison {
    let mut record = record(&vec![10_000.0; rates.len()]);
    for (trial, &rate) in record.trials.iter_mut().zip(rates) {
        trial.figures.insert("rate-held".to_owned(), rate);
    }
    record
}

fn calibrated() -> Calibration {
    Calibration::of(&record(&[10_000.0, 10_400.0, 11_000.0])).expect("three trials")
}

/// What is found of a figure, side by side.
fn found(calibration: &Calibration, record: &Comparison, figure: &str) -> Vec<Finding> {
    let id = format!("calibrated {figure}");
    calibration.findings(record).into_iter().filter(|finding| finding.id == id).collect()
}

#[test]
fn a_record_of_the_machine_itself_is_held_against_the_most_that_it_took() {
    let calibration = calibrated();
    let makespan = calibration.known.iter().find(|known| known.figure == "makespan").expect("it is steady");
    assert_eq!((makespan.least, makespan.most, makespan.trials), (10_000.0, 11_000.0, 3));
    let answers = |makespan| -> Vec<Answer> {
        let record = record(&[makespan]);
        calibration.fits(&record).expect("it is the same machine");
        found(&calibration, &record, "makespan").iter().map(|finding| finding.answer).collect()
    };
    assert_eq!((answers(13_700.0), answers(13_800.0)), (vec![Answer::Met], vec![Answer::Missed]));
}

#[test]
fn what_spreads_too_far_or_was_seen_too_seldom_is_not_known() {
    let unsteady = Calibration::of(&record(&[10_000.0, 10_400.0, 16_000.0])).expect("requests are steady");
    assert!(unsteady.known.iter().all(|known| known.figure != "makespan"), "{unsteady:?}");
    let error = Calibration::of(&record(&[10_000.0, 10_400.0])).expect_err("two trials");
    assert!(error.to_string().contains("3 whole trials"), "{error}");
}

#[rstest]
#[case::that_was_cut_short(|record: &mut Comparison| record.stopped = Some("stopped by SIGINT".to_owned()), "not all was done: stopped by SIGINT")]
#[case::of_workloads_in_small(|record: &mut Comparison| record.scale_percent = 10, "the record was made at 10 % of the workloads' size")]
#[case::of_a_server_that_nobody_measured(|record: &mut Comparison| record.server = None, "the record does not say what the API server could do")]
fn no_calibration_is_made_of_a_record(#[case] change: fn(&mut Comparison), #[case] says: &str) {
    let mut record = record(&[10_000.0; 3]);
    change(&mut record);
    assert_eq!(Calibration::of(&record).expect_err("it is no whole record").to_string(), says);
}

#[rstest]
#[case::more_cores(|record: &mut Comparison| record.host.cores += 1, "cores")]
#[case::another_processor(|record: &mut Comparison| record.host.cpu += " II", "processor")]
#[case::another_kernel(|record: &mut Comparison| record.host.kernel += "-1", "kernel")]
#[case::half_the_memory(|record: &mut Comparison| record.host.memory_bytes /= 2, "memory")]
#[case::another_bucket(|record: &mut Comparison| record.rate = Some(Rate { qps: 50, burst: 100 }), "bucket 50/100 instead of 100/100")]
#[case::more_workers(|record: &mut Comparison| record.workers = Some(50), "workers of the built-in controller 50 instead of its own")]
#[case::other_pods(|record: &mut Comparison| record.pods = PodsBy::Kwok, "pod driver kwok instead of direct")]
#[case::a_tenth_of_the_work(|record: &mut Comparison| record.scale_percent = 10, "at 10 % of the workloads' size")]
#[case::a_busy_hour(|record: &mut Comparison| record.server = Some(sample::capacity(700.0)), "the machine is busy")]
fn what_is_not_like_the_calibrated_machine_is_refused(#[case] change: fn(&mut Comparison), #[case] says: &str) {
    let calibration = calibrated();
    let mut other = record(&[10_000.0]);
    change(&mut other);
    let reason = calibration.fits(&other).expect_err("it differs");
    assert!(reason.contains(says), "{reason}");
}

#[rstest]
#[case::its_profile_has_another_byte(|record: &mut Comparison| record.profiles[0].digest.push('0'), "the profile is another one")]
#[case::its_profile_is_not_there(|record: &mut Comparison| record.profiles.clear(), "the record has no profile indexed-500")]
#[case::its_jobs_come_at_other_times(|record: &mut Comparison| record.profiles[0].seed = 7, "seed 7 instead of 1")]
#[case::all_its_trials_are_void(|record: &mut Comparison| record.trials[0].void = Some("noise".to_owned()), "no whole trial of indexed-500")]
#[case::it_is_missing(|record: &mut Comparison| record.trials[0].figures.retain(|name, _| name != "makespan"), "there is no figure makespan")]
fn a_figure_that_cannot_be_held_is_told_with_the_reason(#[case] change: fn(&mut Comparison), #[case] says: &str) {
    let mut record = record(&[10_000.0]);
    change(&mut record);
    let found = found(&calibrated(), &record, "makespan");
    let told: Vec<_> = found.iter().map(|finding| (finding.answer, finding.measured.as_str())).collect();
    assert_eq!(told, [(Answer::NotMeasured, says)]);
    assert!(found.iter().all(Finding::is_calibrated), "{found:?}");
}

#[test]
fn a_calibration_that_knows_no_seed_is_read_and_holds_nobody_to_anything() {
    let mut written = serde_json::to_value(calibrated()).expect("it is JSON");
    for known in written["known"].as_array_mut().expect("figures are listed") {
        let seed = known.as_object_mut().expect("each is an object").remove("seed");
        assert_eq!(seed, Some(1.into()));
    }
    let old: Calibration = serde_json::from_value(written).expect("the seed may be missing");
    let found = found(&old, &record(&[10_000.0]), "makespan");
    let told: Vec<_> = found.iter().map(|finding| (finding.answer, finding.measured.as_str())).collect();
    assert_eq!(told, [(Answer::NotMeasured, "the calibration does not say with which seed it was made")]);
}

#[test]
fn of_a_controller_that_is_not_in_the_record_nothing_is_told() {
    let mut record = record(&[10_000.0]);
    record.arms.insert(Side::Head, "builtin".to_owned());
    assert!(calibrated().findings(&record).is_empty());
}

#[rstest]
#[case::as_much_as_before(25.0, Answer::Met)]
#[case::more_than_before(40.0, Answer::Met)]
#[case::a_fifth_below_the_least(16.0, Answer::Met)]
#[case::less_than_that(15.0, Answer::Missed)]
fn a_pace_that_was_held_has_a_least_and_no_most(#[case] rate: f64, #[case] answer: Answer) {
    let calibration = Calibration::of(&paced(&[20.0, 25.0, 25.0])).expect("three trials");
    let found = found(&calibration, &paced(&[rate]), "rate-held");
    let told: Vec<_> = found.iter().map(|finding| (finding.answer, finding.says.as_str())).collect();
    assert_eq!(told, [(answer, "in indexed-500 at least 16.00, a fifth below the least of 3 trials")]);
}

#[rstest]
#[case::both_are_as_they_were(10_000.0, 11_000.0, [Answer::Met, Answer::Met])]
#[case::the_base_is_slower(13_800.0, 10_000.0, [Answer::Missed, Answer::Met])]
#[case::the_head_is_slower(10_000.0, 13_800.0, [Answer::Met, Answer::Missed])]
fn one_controller_on_both_sides_is_held_on_each(#[case] base: f64, #[case] head: f64, #[case] answers: [Answer; 2]) {
    let found = found(&calibrated(), &on_both_sides(&[base], &[head]), "makespan");
    assert_eq!(found.iter().map(|finding| finding.answer).collect::<Vec<_>>(), answers);
}

#[test]
fn one_controller_on_both_sides_is_calibrated_by_all_its_trials() {
    let record = on_both_sides(&[10_000.0, 10_400.0], &[10_200.0, 11_000.0]);
    let calibration = Calibration::of(&record).expect("four trials");
    let known = calibration.known.iter().filter(|known| known.figure == "makespan");
    let known: Vec<_> = known.map(|known| (known.least, known.most, known.trials)).collect();
    assert_eq!(known, [(10_000.0, 11_000.0, 4)]);
}
