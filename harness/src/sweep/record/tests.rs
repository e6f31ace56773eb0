//! Records of sweeps: how one ends, what is kept from part to part, what an older file still says.

use super::*;
use crate::{report::schema::What, sweep::sample};
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
    assert_eq!(record.exit(&[Exit::Held, run]), exit);
    assert_eq!(record.exit(&[run, Exit::Held]), exit, "the run without faults counts as the other does");
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
    assert_eq!(record.of, 12, "three writes, four fates");
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
