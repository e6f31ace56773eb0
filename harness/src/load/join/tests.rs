//! Records of slices as loads write them, joined; and what is refused.

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::load::arm::Side;
use crate::load::comparison::SliceOf;
use crate::load::judge::{Broken, Judged};
use crate::load::latency::Distribution;
use crate::load::record::Trial;
use crate::load::{outcome, page, pictures, sample, summary, table};
use crate::report::Exit;
use crate::report::html::rules;

const WAITS: [&[f64]; 3] = [&[1.0, 2.0, 3.0], &[100.0], &[40.0, 50.0, 9.0, 8.0]];

/// A trial that began in this second, whose work took ten seconds, with these waits.
fn trial(pair: u32, second: u32, waits: &[f64]) -> Trial {
    let distribution = Distribution::of(waits.iter().copied().map(Some));
    let most = waits.iter().copied().fold(0.0, f64::max);
    let figures = [
        ("makespan", 10_000.0),
        ("last-pod-to-end.p50", distribution.p50),
        ("last-pod-to-end.max", most),
        ("pods-behind.p90", 7.0),
    ];
    Trial {
        workload: "indexed-500".to_owned(),
        pair,
        side: Side::Head,
        arm: "builtin".to_owned(),
        started: format!("2026-11-20T10:00:{second:02}Z"),
        work_began: Some(format!("2026-11-20T10:00:{second:02}.5Z")),
        took_s: 20.0 + f64::from(second),
        figures: figures.map(|(name, value)| (name.to_owned(), value)).into(),
        latencies: [("last-pod-to-end".to_owned(), distribution)].into(),
        judged: Some(Judged { jobs: 5, versions: 50, most_bytes: 1000 + u64::from(second), ..Judged::default() }),
        ..Trial::default()
    }
}

fn part(partition: &str, waits: &[f64]) -> Part {
    let mut record = sample::record_alone("builtin", "indexed-500", &[]);
    record.slice = Some(SliceOf { partition: partition.to_owned(), cluster: "1234abcd".to_owned(), trials: 1 });
    let partition: Partition = partition.parse().unwrap();
    record.started = format!("2026-11-20T10:00:{:02}Z", 10 - partition.shard());
    record.trials = vec![trial(0, 2 * partition.shard(), waits)];
    Part::of(Path::new(&format!("of-{}.json", partition.shard())), record).unwrap()
}

fn three() -> Vec<Part> {
    (1..=3).zip(WAITS).map(|(shard, waits)| part(&format!("slice:{shard}/3"), waits)).collect()
}

fn joined(parts: Vec<Part>) -> Comparison {
    join(parts, vec!["jobsworth".to_owned(), "merge".to_owned()], Vec::new()).unwrap()
}

#[test]
fn slices_make_one_record_whose_percentiles_are_those_of_all_waits() {
    let record = joined(three());
    let [trial] = record.trials.as_slice() else { panic!("{:?}", record.trials) };
    let all = Distribution::of(WAITS.concat().into_iter().map(Some));
    assert_eq!(trial.latencies["last-pod-to-end"], all);
    assert_eq!((trial.figures["last-pod-to-end.p50"], trial.figures["last-pod-to-end.max"]), (all.p50, 100.0));
    let judged = trial.judged.as_ref().unwrap();
    assert_eq!((judged.jobs, judged.versions, judged.most_bytes), (15, 150, 1006));
    assert_eq!((trial.void.as_deref(), trial.took_s), (None, 26.0));
    assert_eq!((record.slice.as_ref(), record.slices, record.stopped.as_deref()), (None, Some(3), None));
    assert_eq!(record.started, "2026-11-20T10:00:07Z", "the first of all");
    assert_eq!(outcome::exit(&record), Exit::Held);
}

#[test]
fn what_slices_have_no_common_clock_or_counter_for_is_absent_and_named() {
    let record = joined(three());
    let trial = &record.trials[0];
    assert!(!trial.figures.contains_key("makespan") && !trial.figures.contains_key("pods-behind.p90"), "{trial:?}");
    assert!(trial.series.is_none() && trial.measured.is_empty() && trial.circumstances.submit_lag_p99_ms.is_none());
    let says = record.installed.unwrap().says();
    assert!(says.contains("of slices together: makespan, pods-behind.p90; "), "{says}");
    assert!(says.contains("which pods were in which state when"), "{says}");
}

#[test]
fn a_slice_that_is_missing_makes_the_record_incomplete() {
    let mut parts = three();
    parts.remove(1);
    let known = vec!["slice:2/3 left no result: its pod is gone".to_owned()];
    let record = join(parts, Vec::new(), known).unwrap();
    let stopped = "slice:2/3 is missing: no record is of it; slice:2/3 left no result: its pod is gone";
    assert_eq!(record.stopped.as_deref(), Some(stopped));
    assert_eq!(record.trials[0].void.as_deref(), Some("slice:2/3 did not do it"));
    assert_eq!(outcome::exit(&record), Exit::Undecided);
}

#[test]
fn a_slice_that_was_stopped_has_no_part_in_what_it_did_not_do() {
    let mut parts = three();
    for (part, second) in parts.iter_mut().zip([40, 41, 42]) {
        part.trials = 2;
        part.record.trials.push(trial(1, second, &[5.0]));
    }
    parts[2].record.trials.truncate(1);
    parts[2].record.stopped = Some("stopped by SIGTERM".to_owned());
    let record = joined(parts);
    let void: Vec<Option<&str>> = record.trials.iter().map(|trial| trial.void.as_deref()).collect();
    assert_eq!(void, [None, Some("slice:3/3 did not do it")]);
    assert_eq!(record.stopped.as_deref(), Some("slice:3/3: stopped by SIGTERM"));
    assert_eq!(outcome::exit(&record), Exit::Undecided);
}

#[test]
fn slices_whose_loads_were_killed_after_the_same_trial_are_not_whole() {
    let mut parts = three();
    parts.iter_mut().for_each(|part| part.trials = 2);
    let record = joined(parts);
    let stopped = record.stopped.as_deref().unwrap_or_default();
    let says = "slice:1/3: 1 of 2 trials are in its record, and it does not say why; slice:2/3";
    assert!(stopped.starts_with(says), "{stopped}");
    assert_eq!((record.trials.len(), outcome::exit(&record)), (1, Exit::Undecided));
}

#[test]
fn a_void_slice_makes_the_trial_void_with_its_name() {
    let mut parts = three();
    parts[1].record.trials[0].void = Some("the submitter was late: p99 700 ms".to_owned());
    let record = joined(parts);
    assert_eq!(record.trials[0].void.as_deref(), Some("slice:2/3: the submitter was late: p99 700 ms"));
    assert_eq!(outcome::exit(&record), Exit::Undecided);
}

#[test]
fn a_breach_in_a_slice_is_one_of_the_whole_with_its_name() {
    let broken = Broken {
        invariant: "S17".to_owned(),
        says: "no pod too many".to_owned(),
        expected: "at most 400".to_owned(),
        observed: "401".to_owned(),
        revision: 7,
        at_ms: 1234,
    };
    let mut parts = three();
    parts[1].record.trials[0].judged = Some(Judged { broken_jobs: 1, broken: vec![broken], ..Judged::default() });
    let record = joined(parts);
    let judged = record.trials[0].judged.as_ref().unwrap();
    assert_eq!((judged.broken_jobs, judged.broken[0].observed.as_str()), (1, "slice:2/3: 401"));
    assert_eq!(outcome::exit(&record), Exit::Broken);
}

#[rstest]
#[case::within_half_of_the_work(11, None)]
#[case::beyond_it(12, Some("the work of the slices began 6.0 s apart, and that of the longest took 10.0 s"))]
fn slices_do_their_work_together(#[case] last: u32, #[case] says: Option<&str>) {
    let mut parts = three();
    for (part, second) in parts.iter_mut().zip([6, 8, last]) {
        part.record.trials[0] = trial(0, second, &[1.0]);
    }
    let record = joined(parts);
    let void = record.trials[0].void.as_deref();
    match says {
        None => assert_eq!(void, None),
        Some(says) => assert!(void.is_some_and(|void| void.starts_with(says)), "{void:?}"),
    }
}

#[test]
fn people_are_told_of_how_many_slices_it_is_and_how_far_apart_they_began() {
    let record = joined(three());
    let says = "joined of 3 slices, whose distributions are added; their work began up to 4.0 s apart";
    let shown = page::render(&record, &pictures::all(&record).unwrap(), &[]);
    assert_eq!(rules::broken(&shown), Vec::<String>::new());
    assert!(shown.contains(says) && shown.contains("slice:2/3") && shown.contains("10:00:04.5Z"), "{shown}");
    assert!(table::whole(&record).contains(says));
    assert!(summary::render(&record, &[]).contains("joined of 3 slices"));
    let slice = &three()[0].record;
    assert!(table::whole(slice).contains("figures of the Jobs of slice:1/3 alone"));
}

#[rstest]
#[case::the_same_slice_again(|parts: &mut Vec<Part>| parts[1] = parts[0].clone(), "it is slice:1/3 again, as of-1.json")]
#[case::other_slices(|parts: &mut Vec<Part>| parts[1] = part("slice:2/4", &[1.0]), "it is slice:2/4, and of-1.json is slice:1/3")]
#[case::another_cluster(|parts: &mut Vec<Part>| parts[1].cluster = "5678".to_owned(), "its cluster is 5678, that of of-1.json is 1234abcd")]
#[case::another_program(|parts: &mut Vec<Part>| parts[1].record.program = "9".to_owned(), "its program is 9")]
#[case::another_number_of_trials(|parts: &mut Vec<Part>| parts[1].trials = 4, "how many trials it was to do is 4, that of of-1.json is 1")]
#[case::another_size(|parts: &mut Vec<Part>| parts[1].record.scale_percent = 5, "its size in percent is 5")]
#[case::another_seed(
    |parts: &mut Vec<Part>| parts[1].record.profiles[0].seed = 7,
    "the seed of its profile indexed-500 is 7, that of of-1.json is 1"
)]
#[case::another_text(|parts: &mut Vec<Part>| parts[1].record.profiles[0].digest = "0".to_owned(), "the SHA-256 of its profile indexed-500 is 0")]
#[case::another_profile(|parts: &mut Vec<Part>| parts[1].record.profiles[0].name = "smoke".to_owned(), "what it did is [smoke]")]
#[case::other_judging(
    |parts: &mut Vec<Part>| parts[1].record.trials[0].judged = None,
    "its histories were not judged, those of of-1.json were"
)]
#[case::nothing(Vec::clear, "there is none")]
fn what_is_of_no_one_load_is_refused_with_the_reason(#[case] change: fn(&mut Vec<Part>), #[case] says: &str) {
    let mut parts = three();
    change(&mut parts);
    let error = join(parts, Vec::new(), Vec::new()).unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[rstest]
#[case::a_whole_load(|record: &mut Comparison| record.slice = None, "it is a whole load, and no slice of one")]
#[case::a_slice_by_names(
    |record: &mut Comparison| record.slice.as_mut().unwrap().partition = "hash:1/3".to_owned(),
    "a partition that is none"
)]
#[case::two_controllers(
    |record: &mut Comparison| record.ratios = vec![sample::ratio(None)],
    "it has two controllers, tenants, a search or a soak"
)]
#[case::two_controllers_that_were_stopped(
    |record: &mut Comparison| { record.arms.insert(Side::Base, "reference".to_owned()); },
    "it has two controllers, tenants, a search or a soak"
)]
#[case::tenants(|record: &mut Comparison| record.tenants = Some(3), "it has two controllers, tenants, a search or a soak")]
fn what_is_no_slice_is_refused(#[case] change: fn(&mut Comparison), #[case] says: &str) {
    let mut record = three().remove(0).record;
    change(&mut record);
    let error = Part::of(Path::new("load.json"), record).unwrap_err().to_string();
    assert!(error.starts_with("failed to join load.json: ") && error.contains(says), "{error}");
}

#[test]
fn a_slice_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("load.json");
    let part = three().remove(1);
    std::fs::write(&file, serde_json::to_string(&part.record).unwrap()).unwrap();
    assert_eq!(Part::read(&file).unwrap().partition(), part.partition);
    std::fs::write(&file, "{}").unwrap();
    assert!(matches!(Part::read(&file), Err(JoinError::Stored(_))));
}

proptest! {
    #[test]
    fn the_order_of_slices_does_not_matter_and_no_wait_is_lost(
        waits in prop::collection::vec(prop::collection::vec(0.0_f64..1e6, 1..40), 2..6), turns in 0_usize..6,
    ) {
        let of = waits.len();
        let parts = (1..=of).zip(&waits).map(|(at, waits)| part(&format!("slice:{at}/{of}"), waits));
        let mut parts: Vec<Part> = parts.collect();
        let record = joined(parts.clone());
        parts.rotate_left(turns % of);
        let turned = joined(parts);
        prop_assert_eq!(serde_json::to_value(&record).unwrap(), serde_json::to_value(&turned).unwrap());
        let all = Distribution::of(waits.concat().into_iter().map(Some));
        prop_assert_eq!(&record.trials[0].latencies["last-pod-to-end"], &all);
        prop_assert_eq!(record.trials[0].figures["last-pod-to-end.p50"], all.p50);
    }
}
