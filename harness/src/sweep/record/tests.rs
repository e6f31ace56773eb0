//! Records of sweeps: how one ends, what is kept from part to part, what an older file still says.

use super::*;
use crate::{
    cluster::subject_kind::JobApi,
    report::schema::What,
    sweep::{draw::drawn, sample},
};
use rstest::rstest;

fn swept(outcomes: &[Outcome]) -> SweepRecord {
    let points = outcomes.iter().zip(1..).map(|(outcome, write)| sample::point(write, Fate::KilledBefore, *outcome));
    SweepRecord { points: points.collect(), ..SweepRecord::new("1.37.1-builtin".to_owned(), 7) }
}

fn held() -> SweepRecord {
    swept(&[Outcome::Held])
}

fn with_an_unjudged_point() -> SweepRecord {
    SweepRecord { unjudged: vec![sample::unjudged(2)], ..held() }
}

fn with_a_baseless_case(outcome: Outcome) -> SweepRecord {
    SweepRecord { baseless: vec![sample::baseless("suite/b", outcome)], ..held() }
}

fn with_a_breakdown() -> SweepRecord {
    SweepRecord { breakdowns: vec![sample::breakdown(What::Panicked)], ..held() }
}

#[rstest]
#[case::every_point_held(held(), Exit::Held, Exit::Held)]
#[case::the_controller_broke_and_every_point_held(held(), Exit::Broken, Exit::Broken)]
#[case::the_run_could_not_tell(held(), Exit::Undecided, Exit::Undecided)]
#[case::a_point_is_broken(swept(&[Outcome::Held, Outcome::Broken]), Exit::Held, Exit::Broken)]
#[case::broken_counts_before_could_not_tell(swept(&[Outcome::Broken]), Exit::Undecided, Exit::Broken)]
#[case::a_point_is_undecided(swept(&[Outcome::Held, Outcome::Undecided]), Exit::Held, Exit::Undecided)]
#[case::a_point_has_no_verdict(with_an_unjudged_point(), Exit::Held, Exit::Undecided)]
#[case::a_case_fails_without_faults(with_a_baseless_case(Outcome::Broken), Exit::Held, Exit::Broken)]
#[case::a_case_is_undecided_without_faults(with_a_baseless_case(Outcome::Undecided), Exit::Held, Exit::Undecided)]
#[case::an_earlier_part_heard_a_panic(with_a_breakdown(), Exit::Held, Exit::Broken)]
#[case::no_point_was_reached(swept(&[Outcome::NotReached]), Exit::Held, Exit::Undecided)]
#[case::nothing_was_played(swept(&[]), Exit::Held, Exit::Undecided)]
#[case::a_stop_stays_a_stop(swept(&[Outcome::Broken]), Exit::Stopped("SIGINT"), Exit::Stopped("SIGINT"))]
#[case::misuse_stays_misuse(swept(&[Outcome::Broken]), Exit::Misuse, Exit::Misuse)]
fn how_a_sweep_ends(#[case] record: SweepRecord, #[case] run: Exit, #[case] exit: Exit) {
    assert_eq!(record.exit(&[Exit::Held, run], Deviations::Tell), exit);
    assert_eq!(
        record.exit(&[run, Exit::Held], Deviations::Tell),
        exit,
        "the run without faults counts as the other does"
    );
}

#[rstest]
#[case::all_that_was_reached(swept(&[Outcome::Deviates]), Exit::Held)]
#[case::beside_points_that_held(swept(&[Outcome::Held, Outcome::Deviates]), Exit::Held)]
#[case::beside_one_that_nobody_can_tell(swept(&[Outcome::Deviates, Outcome::Undecided]), Exit::Undecided)]
#[case::beside_one_that_is_broken(swept(&[Outcome::Deviates, Outcome::Broken]), Exit::Broken)]
fn what_is_known_fails_a_sweep_only_where_that_is_asked_for(#[case] record: SweepRecord, #[case] exit: Exit) {
    assert_eq!(record.exit(&[], Deviations::Tell), exit);
    assert_eq!(record.exit(&[], Deviations::Fail), Exit::Broken);
}

#[test]
fn a_point_without_a_verdict_is_played_again_and_then_has_one() {
    let mut record = swept(&[]);
    record.enter(Err(sample::unjudged(2)));
    record.enter(Err(sample::unjudged(2)));
    assert_eq!((record.unjudged.len(), record.done()), (1, BTreeSet::new()));
    let judged = sample::point(2, Fate::AnswerLost, Outcome::Held);
    record.enter(Ok(judged.clone()));
    assert_eq!((record.unjudged.len(), record.done()), (0, BTreeSet::from([judged.id])));
}

#[test]
fn what_other_selections_swept_stays_in_the_record() {
    let baseline = |writes: &[&str]| {
        let writes = writes.iter().map(|write| (*write).to_owned()).collect();
        Ok(Baseline { writes, ends: BTreeMap::new() })
    };
    let mut record = swept(&[]);
    record.learn("suite/a", &baseline(&["create pods", "update jobs/status"]));
    record.learn("suite/b", &Err(sample::baseless("suite/b", Outcome::Undecided)));
    record.learn("suite/c", &Err(sample::baseless("suite/c", Outcome::Broken)));
    record.learn("suite/b", &baseline(&["create pods"]));
    assert_eq!(record.writes.keys().collect::<Vec<_>>(), ["suite/a", "suite/b"]);
    assert_eq!(record.of, 15, "three writes, five fates");
    record.learn("suite/b", &baseline(&["create pods", "delete pods"]));
    assert_eq!(record.of, 19, "four writes, of which a deletion has four fates");
    let baseless: Vec<&str> = record.baseless.iter().map(|case| case.case.as_str()).collect();
    assert_eq!(baseless, ["suite/c"], "what holds now is not told as if it did not");
}

#[test]
fn a_breakdown_is_told_once_however_often_its_run_is_read() {
    let mut record = held();
    record.hear(&[sample::breakdown(What::Died)]);
    record.hear(&[sample::breakdown(What::Died), sample::breakdown(What::Panicked)]);
    assert_eq!(record.breakdowns.len(), 2);
}

#[test]
fn a_record_survives_being_written_down_and_an_older_one_is_read() {
    let (unjudged, breakdowns) = (vec![sample::unjudged(2)], vec![sample::breakdown(What::Died)]);
    let record = SweepRecord { unjudged, breakdowns, ..with_a_baseless_case(Outcome::Broken) };
    let written = serde_json::to_value(&record).unwrap();
    assert_eq!(serde_json::from_value::<SweepRecord>(written).unwrap(), record);
    let mut older = serde_json::to_value(held()).unwrap();
    for added in ["unjudged", "baseless", "breakdowns"] {
        assert_eq!(older.get(added), None, "what is empty is not written");
    }
    older["later"] = serde_json::json!("ignored");
    assert_eq!(serde_json::from_value::<SweepRecord>(older).unwrap(), held());
}

#[test]
fn a_sweep_from_before_there_were_conflicts_goes_on_with_the_points_of_its_seed() {
    let mut older = serde_json::to_value(held()).unwrap();
    older.as_object_mut().unwrap().remove("fates");
    let mut older: SweepRecord = serde_json::from_value(older).unwrap();
    let writes = ["create pods", "update jobs/status", "patch pods", "delete pods"].map(str::to_owned).to_vec();
    let baseline = Baseline { writes, ends: BTreeMap::new() };
    older.learn("suite/idle", &Ok(baseline.clone()));
    assert_eq!((older.of, older.fates.contains(&Fate::Conflict)), (16, false));
    let cases = [(sample::idle(JobApi::Batch), baseline)];
    let ids = |record: &SweepRecord| -> Vec<&'static str> {
        drawn(&cases, &[], &record.fates, 6, record.seed, &BTreeSet::new()).iter().map(|point| point.id()).collect()
    };
    // As they were drawn when there were four fates.
    assert_eq!(
        ids(&older),
        [
            "suite/idle-answer-lost-at-write-4",
            "suite/idle-answer-lost-at-write-2",
            "suite/idle-killed-before-at-write-2",
            "suite/idle-answer-lost-at-write-1",
            "suite/idle-killed-after-at-write-2",
            "suite/idle-refused-with-503-at-write-3",
        ]
    );
    let newer = SweepRecord { fates: Fate::ALL.to_vec(), ..older.clone() };
    assert_ne!(ids(&newer), ids(&older));
    let text = older.markdown();
    assert!(!text.contains("409"), "{text}");
}
