//! What comes of encounters, row by row, and what holds for all of them.

use super::{Encounter, Legal, encounters};
use crate::{Order, Outcome, Source};
use Order::{Crash, Late, Refused, Then, Together};
use Outcome::{Complete, Failed, Gone, Running, Suspended};
use Source::{
    AllIndexes, BackoffLimit, Completions, Deadline, Deletion, FailJob, FailedIndexes, ManagedBy, MaxFailedIndexes,
    ScaleDown, ScaleUp, SuccessRule, Suspend, TimeToLive,
};
use rstest::rstest;
use std::collections::BTreeSet;

const POLICY: Outcome = Complete("SuccessPolicy");
const REACHED: Outcome = Complete("CompletionsReached");
const LIMIT: Outcome = Failed("BackoffLimitExceeded");
const RULE: Outcome = Failed("PodFailurePolicy");
const LATE: Outcome = Failed("DeadlineExceeded");

fn legal(first: Source, second: Source, order: Order) -> Legal {
    Encounter { first, second, order }.legal()
}

#[rstest]
#[case::the_backoff_limit_is_heard_before_success(SuccessRule, BackoffLimit, Together, &[LIMIT])]
#[case::whichever_is_named_first(BackoffLimit, SuccessRule, Together, &[LIMIT])]
#[case::a_rule_for_failures_is_heard_before_a_limit(BackoffLimit, FailJob, Together, &[RULE])]
#[case::a_limit_is_heard_before_a_deadline(Deadline, BackoffLimit, Together, &[LIMIT])]
#[case::a_deadline_is_heard_before_success(Deadline, SuccessRule, Together, &[LATE])]
#[case::a_policy_names_the_reason_when_all_are_done(AllIndexes, SuccessRule, Together, &[POLICY])]
#[case::success_is_heard_before_a_suspension(SuccessRule, Suspend, Together, &[POLICY])]
#[case::a_job_that_is_suspended_in_time_has_no_deadline(Deadline, Suspend, Together, &[Suspended])]
#[case::a_job_with_all_it_wants_is_not_suspended(Suspend, AllIndexes, Together, &[REACHED])]
#[case::more_is_asked_of_it(AllIndexes, ScaleUp, Together, &[Running])]
#[case::a_failed_index_is_not_the_end_if_there_are_more(FailedIndexes, ScaleUp, Together, &[Running])]
#[case::a_failed_index_that_is_asked_for_no_more(MaxFailedIndexes, ScaleDown, Together, &[REACHED])]
#[case::nor_is_it_by_a_controller_that_starts_anew(BackoffLimit, ScaleDown, Crash, &[REACHED])]
#[case::who_lives_may_know_of_it_still(BackoffLimit, ScaleDown, Refused, &[REACHED, LIMIT])]
#[case::nobody_says_which_pods_a_rule_looks_at(FailJob, ScaleDown, Together, &[REACHED, RULE])]
#[case::a_deadline_is_heard_before_what_is_done(Deadline, ScaleDown, Together, &[LATE])]
#[case::what_is_done_after_a_failure(FailedIndexes, ScaleDown, Then, &[Failed("FailedIndexes")])]
#[case::a_rule_stays_met_however_many_there_are(SuccessRule, ScaleUp, Together, &[POLICY])]
#[case::a_declared_success_stays(SuccessRule, FailJob, Then, &[POLICY])]
#[case::a_declared_failure_stays(BackoffLimit, SuccessRule, Then, &[LIMIT])]
#[case::a_decided_job_is_not_suspended(SuccessRule, Suspend, Then, &[POLICY])]
#[case::a_suspended_job_has_no_deadline(Suspend, Deadline, Then, &[Suspended])]
#[case::a_suspended_job_may_be_all_done(Suspend, ScaleDown, Then, &[REACHED])]
#[case::more_and_then_too_much(ScaleUp, BackoffLimit, Then, &[LIMIT])]
#[case::whatever_was_decided_goes(Deadline, Deletion, Then, &[Gone])]
#[case::in_time(SuccessRule, TimeToLive, Then, &[Gone])]
#[case::nobody_remembers_what_was_not_stored(SuccessRule, BackoffLimit, Crash, &[LIMIT])]
#[case::success_wins_what_it_would_win_anyway(SuccessRule, Suspend, Crash, &[POLICY])]
#[case::who_lives_may_stay_with_it(SuccessRule, BackoffLimit, Refused, &[POLICY, LIMIT])]
#[case::released_pods_may_count_for_nothing(Suspend, SuccessRule, Crash, &[POLICY, Suspended])]
#[case::a_stronger_reason_is_the_same_either_way(FailJob, SuccessRule, Refused, &[RULE])]
#[case::who_hears_late_may_not_know(SuccessRule, BackoffLimit, Late, &[POLICY, LIMIT])]
fn it_comes_to(#[case] first: Source, #[case] second: Source, #[case] order: Order, #[case] outcomes: &[Outcome]) {
    assert_eq!(legal(first, second, order), Legal::OneOf(outcomes.iter().copied().collect()));
}

#[rstest]
#[case::a_job_that_changes_hands(ManagedBy, Deadline, Then, "immutable")]
#[case::a_time_to_live_before_the_end(TimeToLive, BackoffLimit, Then, "counts from the end")]
#[case::a_time_to_live_at_the_end(BackoffLimit, TimeToLive, Together, "counts from the end")]
#[case::a_time_to_live_of_what_pauses(Suspend, TimeToLive, Then, "has not ended")]
#[case::indexes_without_indexes(Completions, SuccessRule, Together, "Indexed or not")]
#[case::failed_and_all_succeeded(FailedIndexes, AllIndexes, Then, "or all have succeeded")]
#[case::too_many_failed_and_all_succeeded(MaxFailedIndexes, AllIndexes, Refused, "or all have succeeded")]
#[case::a_rule_for_an_index_that_succeeded(FailJob, AllIndexes, Then, "gets no other pod")]
#[case::a_limit_for_an_index_that_succeeded(BackoffLimit, AllIndexes, Together, "gets no other pod")]
#[case::up_and_down(ScaleDown, ScaleUp, Together, "one number")]
#[case::a_failure_after_the_last_pod(Completions, BackoffLimit, Late, "leaves no pod")]
#[case::a_failure_of_released_pods(Suspend, FailJob, Then, "released")]
#[case::a_refused_deletion_of_ours(Deletion, SuccessRule, Refused, "by whoever asks")]
#[case::what_is_gone(Deletion, SuccessRule, Then, "gone")]
fn it_cannot_be(#[case] first: Source, #[case] second: Source, #[case] order: Order, #[case] because: &str) {
    match legal(first, second, order) {
        Legal::Impossible(why) => assert!(why.contains(because), "{why}"),
        Legal::OneOf(outcomes) => panic!("{outcomes:?}"),
    }
}

#[rstest]
#[case::a_failure(FailJob, Deletion, &[RULE])]
#[case::a_success_that_lives_on(SuccessRule, TimeToLive, &[POLICY])]
#[case::a_job_that_does_not_go(SuccessRule, Deadline, &[])]
fn a_job_that_goes_may_be_decided_before(#[case] first: Source, #[case] second: Source, #[case] ends: &[Outcome]) {
    let on_the_way = Encounter { first, second, order: Then }.on_the_way();
    assert_eq!(on_the_way, ends.iter().copied().collect());
}

#[test]
fn every_encounter_is_there_once() {
    let all: Vec<Encounter> = encounters().collect();
    let pairs = Source::ALL.len() * (Source::ALL.len() - 1);
    assert_eq!(all.len(), pairs / 2 + 4 * pairs);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn what_can_be_comes_to_something() {
    let empty = |it: &Encounter| matches!(it.legal(), Legal::OneOf(outcomes) if outcomes.is_empty());
    assert_eq!(encounters().find(empty), None);
}

#[test]
fn whatever_one_look_finds_does_not_depend_on_who_is_named_first() {
    for first in Source::ALL {
        for second in Source::ALL.into_iter().filter(|second| *second != first) {
            assert_eq!(legal(first, second, Together), legal(second, first, Together), "{first}, {second}");
        }
    }
}

#[test]
fn a_crash_is_a_look_at_what_is_there() {
    for it in encounters().filter(|it| it.order == Crash) {
        let (crash, together) = (it.legal(), legal(it.first, it.second, Together));
        if let (Legal::OneOf(crash), Legal::OneOf(together)) = (crash, together) {
            assert!(together.is_subset(&crash), "{it}");
            assert!(it.first == Suspend || crash == together, "{it}");
        }
    }
}

#[test]
fn to_be_refused_or_late_allows_at_least_what_a_crash_does() {
    for it in encounters().filter(|it| it.order == Crash) {
        let Legal::OneOf(crash) = it.legal() else { continue };
        for order in [Refused, Late] {
            let Legal::OneOf(more) = legal(it.first, it.second, order) else { panic!("{it}") };
            assert!(crash.is_subset(&more), "{it}");
        }
    }
}
