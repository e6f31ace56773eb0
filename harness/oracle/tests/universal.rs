//! What holds for objects of whatever kind, and which API is judged by what.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "the builder knows more steps than these tests tell")]
mod timelines;

use jobsworth_api::Resource;
use jobsworth_oracle::{
    Check, Ending, Entry, Expectations, Fact, Setting, Sighting, Timeline, Verdict, invariants, judge, judge::Source,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;

const THEIRS: Resource = Resource::new("batch.example.com", "v1alpha1", "jobs", "Job");

/// One version of one object.
enum Seen {
    There(Value),
    Gone(Value),
}
use Seen::{Gone, There};

fn judged(api: Resource, versions: Vec<Seen>) -> Timeline {
    let story = timelines::two_complete().end();
    let entries = (1u64..).zip(versions).map(|(revision, seen)| {
        let sighting = |change: Value| {
            let metadata = json!({"name": "job", "uid": "u", "generation": 2});
            let mut object = json!({"apiVersion": api.api_version(), "kind": api.kind, "metadata": metadata});
            timelines::merge(&mut object, change);
            Sighting::of_any_kind(object).unwrap()
        };
        let fact = match seen {
            There(change) => Fact::Object(sighting(change)),
            Gone(change) => Fact::ObjectGone(sighting(change)),
        };
        Entry { revision, at: Duration::from_millis(revision), fact }
    });
    let entries = entries.collect();
    Timeline::seal(Setting { judged: api, ..story.setting }, entries, Ending::Complete)
}

fn deleted() -> Value {
    json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
}

fn observed(generation: u32) -> Value {
    json!({"status": {"observedGeneration": generation}})
}

fn broken(timeline: &Timeline) -> Vec<&'static str> {
    let all = invariants::of(&timeline.setting.judged).iter();
    all.filter(|one| matches!(one.check(timeline), Check::Broken(_))).map(|one| one.id()).collect()
}

#[rstest]
#[case::it_lives(vec![There(json!({})), There(observed(1)), There(observed(2)), Gone(observed(2))], &[])]
#[case::it_is_deleted_and_goes(vec![There(json!({})), There(deleted()), Gone(deleted())], &[])]
#[case::it_goes_at_once(vec![There(json!({})), Gone(deleted())], &[])]
#[case::another_of_its_name(vec![There(json!({})), Gone(json!({})), There(json!({"metadata": {"uid": "v"}}))], &[])]
#[case::it_returns(vec![There(json!({})), Gone(json!({})), There(json!({}))], &["U01"])]
#[case::its_deletion_is_taken_back(vec![There(deleted()), There(json!({}))], &["U01"])]
#[case::it_goes_twice(vec![There(json!({})), Gone(json!({})), Gone(json!({}))], &["U01"])]
#[case::a_generation_to_come(vec![There(observed(3))], &["U02"])]
#[case::a_generation_is_forgotten(vec![There(observed(2)), There(observed(1))], &["U02"])]
#[case::a_generation_to_come_of_one_that_goes(vec![There(observed(2)), Gone(observed(3))], &["U02"])]
fn an_object_of_whatever_kind(#[case] versions: Vec<Seen>, #[case] expected: &[&str]) {
    assert_eq!(broken(&judged(THEIRS, versions)), expected);
}

#[test]
fn an_api_without_a_set_of_its_own_is_judged_by_nothing_of_batch_v1() {
    let numbers = |api: &Resource| invariants::of(api).iter().map(|one| one.id()).collect::<Vec<_>>();
    assert_eq!(numbers(&THEIRS), ["U01", "U02"]);
    let jobs = numbers(&Resource::JOBS);
    assert_eq!(jobs.len(), invariants::ALL.len());
    assert!(jobs.iter().all(|number| number.starts_with(['L', 'S', 'W'])), "{jobs:?}");

    let judgement = judge(&judged(THEIRS, vec![There(json!({})), Gone(json!({}))]), &Expectations::new());
    let sources: Vec<_> = judgement.sentences.iter().map(|sentence| sentence.source.clone()).collect();
    assert_eq!(sources, [Source::Invariant("U01"), Source::Invariant("U02")]);
    assert_eq!(judgement.verdict, Verdict::Pass);
}

#[test]
fn the_same_history_is_judged_by_the_set_of_its_api() {
    let mut timeline = timelines::two_complete().status(json!({"active": 1})).end();
    assert!(broken(&timeline).contains(&"S05"));
    timeline.setting.judged = THEIRS;
    assert_eq!(broken(&timeline), Vec::<&str>::new());
}
