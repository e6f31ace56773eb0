//! Worlds and what is decided in them, policy by policy.

use rstest::rstest;

use crate::script::check;

#[rstest]
// PAR-001, STA-011, STA-016
#[case::a_new_job_gets_its_pods(
    "3 pods, 2 at a time | | fresh",
    "create one one; write 2 active, 0 ready, 0 terminating, started"
)]
// PAR-001, PAR-005
#[case::not_more_than_are_left("3 pods | 0 runs | 2 succeeded, 1 active", "nothing")]
// PAR-001, FIN-002
#[case::one_more_after_an_end(
    "3 pods, 2 at a time | 0 ok, 1 runs | 2 active",
    "create one; write listed succeeded p0; release p0; write 1 succeeded"
)]
// PAR-002
#[case::a_queue_wants_all_at_first("queue of 2 | 0 runs | 1 active", "create one; write 2 active")]
// PAR-002, PAR-003
#[case::a_queue_wants_no_more_after_a_success(
    "queue of 2 | 0 ok, 1 runs | 2 active",
    "write 1 active, listed succeeded p0; release p0; write 1 succeeded"
)]
// PAR-006, PAR-010, PAR-016
#[case::surplus_goes_least_advanced_first(
    "3 pods, 1 at a time | 0 ready, 1 runs, 2 pending | 3 active, 1 ready",
    "remove Surplus p2 p1; write 1 active, 2 terminating"
)]
// PAR-010
#[case::the_younger_goes(
    "2 pods, 1 at a time | 0 runs born 10, 1 runs born 20 | 2 active",
    "remove Surplus p0; write 1 active, 1 terminating"
)]
// PAR-010
#[case::the_often_restarted_goes(
    "2 pods, 1 at a time | 0 runs, 1 runs restarted 2 | 2 active",
    "remove Surplus p1; write 1 active, 1 terminating"
)]
// PAR-016
#[case::no_parallelism_no_pods(
    "2 pods, 0 at a time | 0 runs | 1 active",
    "remove Surplus p0; write 0 active, 1 terminating"
)]
// PAR-007, PAR-021
#[case::at_most_so_many_in_one_sync(
    "9 pods | | fresh",
    "create one one one one; write 4 active, 0 ready, 0 terminating, started; again at once"
)]
// PRP-007
#[case::more_terminating_than_wanted_is_no_trouble(
    "2 pods, 1 at a time, replaces only failed | 0 stops, 1 stops, 2 stops | 3 terminating",
    "nothing"
)]
// PAR-019, EVT-005, EVT-010
#[case::no_completions_no_pods(
    "0 pods, 1 at a time | | fresh",
    "write 0 ready, 0 terminating, started, SuccessCriteriaMet CompletionsReached; write Complete CompletionsReached and say Completed"
)]
// PAR-020
#[case::suspended_without_completions(
    "0 pods, 1 at a time, suspended | | fresh",
    "write 0 ready, 0 terminating, SuccessCriteriaMet CompletionsReached; write started, Complete CompletionsReached and say Completed"
)]
// PAR-023, EVT-007
#[case::too_many_successes(
    "1 pods | 0 ok, 1 ok | 0 active",
    "say TooManySucceededPods; write listed succeeded p0 p1, SuccessCriteriaMet CompletionsReached; release p0 p1; write 2 succeeded, Complete CompletionsReached and say Completed"
)]
fn sizes(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// IDX-008
#[case::lowest_indexes_first(
    "4 pods, indexed, 2 at a time | | fresh",
    "create 0 1; write 2 active, 0 ready, 0 terminating, started"
)]
// IDX-010
#[case::completed_ones_are_left_out(
    "4 pods, indexed, 2 at a time | 2 runs | done 0, 1 active",
    "create 1; write 2 active"
)]
#[case::a_success_is_an_index(
    "3 pods, indexed, 2 at a time | 0 runs, 1 ok | 2 active",
    "create 2; write 1 succeeded, done 1; release p1"
)]
// IDX-017
#[case::a_second_success_adds_nothing("2 pods, indexed | 0 ok, 1 runs | done 0, 1 active", "release p0")]
// IDX-012
#[case::duplicates_go(
    "2 pods, indexed | 0 runs, 0 ready, 1 runs | 3 active, 1 ready",
    "remove Duplicate p0; write 2 active, 1 terminating"
)]
// IDX-013
#[case::wrong_indexes_go(
    "2 pods, indexed | 0 runs, 7 runs, - runs | 3 active",
    "remove InvalidIndex p1 p2; write 1 active, 2 terminating"
)]
// IDX-013, IDX-025
#[case::ended_pods_out_of_range_are_released_uncounted(
    "1 pods, indexed | 0 runs, 7 ok, 8 fails | 1 active",
    "release p1 p2"
)]
// IDX-015, IDX-019
#[case::indexes_out_of_range_are_dropped("2 pods, indexed | 1 runs | done 0+4-6, 1 active", "write done 0")]
// IDX-022, IDX-024
#[case::a_smaller_range_may_be_done(
    "2 pods, indexed | 3 runs | done 0+1, 1 active",
    "remove InvalidIndex p0; write 0 active, 1 terminating, SuccessCriteriaMet CompletionsReached"
)]
// IDX-021, IDX-023
#[case::an_index_that_comes_back_runs_again("2 pods, indexed | | done 0", "create 1; write 1 active")]
// PRP-005, PRP-009
#[case::a_terminating_pod_holds_its_index(
    "2 pods, indexed, replaces only failed | 0 stops, 1 runs | 1 active, 1 terminating",
    "nothing"
)]
// PRP-001, PRP-009, PRP-010
#[case::a_terminating_pod_is_replaced(
    "2 pods, indexed | 0 stops, 1 runs | 1 active, 1 terminating",
    "write listed failed p0; release p0; write 1 failed; again in 10 s"
)]
// IDX-026
#[case::low_indexes_are_told_first(
    "5 pods, indexed | 4 ok, 3 ok, 2 ok, 1 ok, 0 ok | 0 active",
    "write 3 succeeded, done 0-2, SuccessCriteriaMet CompletionsReached; release p4 p3 p2; again at once"
)]
fn indexes(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// SUC-003, SUC-007, SUC-008, SUC-020
#[case::two_of_three_are_enough(
    "3 pods, indexed, rule: 2 of any | 0 ok, 1 ok, 2 runs | 3 active",
    "write 1 active, 2 succeeded, done 0,1, SuccessCriteriaMet SuccessPolicy; release p0 p1; stop p2; write 0 active, 1 terminating"
)]
// SUC-004
#[case::only_listed_ones_count(
    "6 pods, indexed, rule: 3 of 1-4 | 0 runs, 1 ok, 2 runs, 3 ok, 4 runs, 5 ok | 3 active",
    "write 3 succeeded, done 1,3,5; release p1 p3 p5"
)]
// SUC-002, SUC-006
#[case::the_leader_is_enough(
    "2 pods, indexed, rule: 0 | 0 ok, 1 fails | 0 active",
    "write 1 succeeded, done 0, listed failed p1, SuccessCriteriaMet SuccessPolicy; release p0 p1; write 1 failed, Complete SuccessPolicy and say Completed"
)]
// SUC-011, STA-001
#[case::the_failure_rule_is_heard_first(
    "2 pods, indexed, rule: 0, FailJob on 42 | 0 ok, 1 exits 42 | 0 active",
    "write 1 succeeded, done 0, listed failed p1, FailureTarget PodFailurePolicy; release p0 p1; write 1 failed, Failed PodFailurePolicy and say PodFailurePolicy"
)]
// SUC-010
#[case::what_is_met_stays_met(
    "3 pods, indexed, limit 0, rule: 0 | 1 fails | done 0, SuccessCriteriaMet SuccessPolicy",
    "write listed failed p0; release p0; write 1 failed, Complete SuccessPolicy and say Completed"
)]
// SUC-009, PRP-008
#[case::complete_waits_for_terminating_pods(
    "2 pods, indexed, rule: 0 | 1 stops untracked | done 0, 1 terminating, SuccessCriteriaMet SuccessPolicy",
    "nothing"
)]
// SUC-015, SUC-017
#[case::the_gate_is_off(
    "2 pods, indexed, rule: 0, without JobSuccessPolicy | 0 ok, 1 runs | 2 active",
    "write 1 active, 1 succeeded, done 0; release p0"
)]
// SUC-015
#[case::the_gate_is_off_at_the_end(
    "1 pods, indexed, rule: 0, without JobSuccessPolicy | 0 ok | 1 active",
    "write 0 active, 1 succeeded, done 0, SuccessCriteriaMet; release p0; write Complete and say Completed"
)]
// SUC-018
#[case::suspending_comes_too_late(
    "2 pods, indexed, suspended, rule: 0 | | done 0, SuccessCriteriaMet SuccessPolicy",
    "write Complete SuccessPolicy and say Completed"
)]
// SUC-012
#[case::failed_indexes_do_not_hinder(
    "4 pods, indexed, limit per index 0, rule: 0 | 0 ok, 1 runs | lost 2, 2 active",
    "write 1 active, 1 succeeded, done 0, SuccessCriteriaMet SuccessPolicy; release p0; stop p1; write 0 active, 1 terminating"
)]
fn success_policy(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// PFP-009
#[case::ignored_failures_are_not_counted(
    "2 pods, Ignore on 137 | 0 exits 137, 1 runs | 2 active",
    "write 1 active; release p0; again in 10 s"
)]
// PFP-010
#[case::counted_ones_are(
    "2 pods, Count on 1 | 0 exits 1, 1 runs | 2 active",
    "write 1 active, listed failed p0; release p0; write 1 failed; again in 10 s"
)]
// PFP-002, PFP-004
#[case::the_first_match_wins(
    "2 pods, Ignore on 7, FailJob on not 0 | 0 exits 7, 1 runs | 2 active",
    "write 1 active; release p0; again in 10 s"
)]
// PFP-005, PFP-018
#[case::conditions_match(
    "2 pods, Ignore on Disrupted | 0 fails disrupted, 1 runs | 2 active",
    "write 1 active; release p0; again in 10 s"
)]
// PFP-016
#[case::a_disrupted_success_is_a_success(
    "1 pods, Ignore on Disrupted | 0 ok disrupted | 1 active",
    "write 0 active, listed succeeded p0, SuccessCriteriaMet CompletionsReached; release p0; write 1 succeeded, Complete CompletionsReached and say Completed"
)]
// PFP-001, PFP-014
#[case::terminating_pods_are_not_judged("1 pods, FailJob on not 0 | 0 stops | 1 terminating", "nothing")]
// PFP-007
#[case::fail_job_stops_the_others(
    "2 pods, FailJob on 42 | 0 exits 42, 1 runs | 2 active",
    "write 1 active, listed failed p0 p1, FailureTarget PodFailurePolicy; delete p1; release p0 p1; write 0 active, 1 terminating, 2 failed"
)]
// PFP-013
#[case::a_target_that_is_false_is_none("1 pods, FailJob on 42 | 0 runs | 1 active, FailureTarget False X", "nothing")]
// PFP-012
#[case::the_decision_outlives_its_pod(
    "1 pods, FailJob on 42 | | FailureTarget PodFailurePolicy",
    "write Failed PodFailurePolicy and say PodFailurePolicy"
)]
// PFP-011
#[case::an_index_fails_at_once(
    "2 pods, indexed, limit per index 5, FailIndex on 42 | 0 exits 42, 1 runs | lost, 2 active",
    "write 1 active, lost 0, listed failed p0; release p0; write 1 failed"
)]
// PFP-019
#[case::the_gate_is_off(
    "2 pods, FailJob on 42, without JobPodFailurePolicy | 0 exits 42, 1 runs | 2 active",
    "write 1 active, listed failed p0; release p0; write 1 failed; again in 10 s"
)]
fn failure_policy(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// BKO-001, BKO-006, PAR-022
#[case::within_the_limit(
    "2 pods, limit 1 | 0 fails, 1 runs | 2 active",
    "write 1 active, listed failed p0; release p0; write 1 failed; again in 10 s"
)]
// BKO-001, BKO-004, BKO-005
#[case::beyond_the_limit(
    "3 pods, limit 0 | 0 fails, 1 runs, 2 runs | 3 active",
    "write 2 active, listed failed p0 p1 p2, FailureTarget BackoffLimitExceeded; delete p1 p2; release p0 p1 p2; write 0 active, 2 terminating, 3 failed"
)]
// BKO-005, PFP-009
#[case::an_ignored_pod_that_still_stops_is_not_counted(
    "3 pods, limit 0, Ignore on Disrupted | 0 stops disrupted, 1 fails, 2 runs | 2 active, 1 terminating",
    "write 1 active, listed failed p1 p2, FailureTarget BackoffLimitExceeded; delete p2; release p0 p1 p2; write 0 active, 2 terminating, 2 failed"
)]
// BKO-005, PFP-009
#[case::an_ignored_pod_that_the_job_stops_is_not_counted(
    "2 pods, limit 0, Ignore on Disrupted | 0 runs disrupted, 1 fails | 2 active",
    "write 1 active, listed failed p1, FailureTarget BackoffLimitExceeded; delete p0; release p0 p1; write 0 active, 1 terminating, 1 failed"
)]
// BKO-003, EVT-006
#[case::listed_failures_count(
    "2 pods, limit 1 | 0 fails, 1 fails | 2 active, listed failed p0",
    "write 0 active, listed failed p0 p1, FailureTarget BackoffLimitExceeded; release p0 p1; write 2 failed, Failed BackoffLimitExceeded and say BackoffLimitExceeded"
)]
#[case::restarts_up_to_the_limit("1 pods, limit 3, restarts containers | 0 runs restarted 2 | 1 active", "nothing")]
// BKO-002
#[case::restarts_at_the_limit(
    "1 pods, limit 3, restarts containers | 0 runs restarted 3 | 1 active",
    "write listed failed p0, FailureTarget BackoffLimitExceeded; delete p0; release p0; write 0 active, 1 terminating, 1 failed"
)]
// BKO-002
#[case::no_restarts_with_limit_zero("1 pods, limit 0, restarts containers | 0 runs | 1 active", "nothing")]
// BKO-013, FIN-018
#[case::a_deleted_pod_is_a_failure(
    "1 pods, limit 0 | 0 stops | 1 terminating",
    "write listed failed p0, FailureTarget BackoffLimitExceeded; release p0; write 1 failed"
)]
// BKO-011
#[case::several_failures_in_one_sync(
    "4 pods | 0 fails, 1 fails, 2 fails, 3 runs | 4 active",
    "write 1 active, listed failed p0 p1 p2; release p0 p1 p2; write 3 failed; again in 40 s"
)]
// BKO-006, PAR-022
#[case::the_delay_counts_from_the_failure(
    "1 pods | 0 fails since 6 | 1 active",
    "write 0 active, listed failed p0; release p0; write 1 failed; again in 4 s"
)]
// BKO-010
#[case::the_delay_is_over(
    "1 pods | 0 fails since 10 | 1 active",
    "create one; write listed failed p0; release p0; write 1 failed"
)]
// BKO-008
#[case::a_success_after_the_failure_wipes_it(
    "3 pods, 1 at a time | 0 fails since 6, 1 ok since 2 | 1 active",
    "create one; write listed succeeded p1, listed failed p0; release p0 p1; write 1 succeeded, 1 failed"
)]
// STA-006
#[case::both_gates_off_no_interim_condition(
    "1 pods, limit 0, without JobManagedBy, without JobPodReplacementPolicy | 0 fails | 1 active",
    "write 0 active, no terminating, listed failed p0; release p0; write 1 failed, Failed BackoffLimitExceeded and say BackoffLimitExceeded"
)]
fn backoff(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// BLI-001, BLI-004
#[case::the_first_pod_of_an_index(
    "2 pods, indexed, limit per index 1 | | fresh",
    "create 0 1; write 2 active, 0 ready, 0 terminating, lost , started"
)]
// BLI-010, BLI-012, PAR-022
#[case::a_failed_pod_waits_for_its_replacement(
    "2 pods, indexed, limit per index 1 | 0 fails, 1 runs | lost, 2 active",
    "write 1 active; again in 10 s"
)]
// BLI-001
#[case::the_replacement_inherits(
    "2 pods, indexed, limit per index 2 | 0 fails after 1 since 20, 1 runs | lost, 2 active",
    "create 0(after 2+0)"
)]
// BLI-001
#[case::ignored_failures_are_inherited_apart(
    "2 pods, indexed, limit per index 2, Ignore on 137 | 0 exits 137 after 1 since 20, 1 runs | lost, 2 active",
    "create 0(after 1+1)"
)]
#[case::a_replaced_pod_is_counted(
    "2 pods, indexed, limit per index 1 | 0 fails, 0 runs after 1, 1 runs | lost, 2 active",
    "write listed failed p0; release p0; write 1 failed"
)]
// BLI-011
#[case::the_worst_of_several_is_the_base(
    "1 pods, indexed, limit per index 9 | 0 fails after 1 since 90, 0 fails after 2 since 90 | lost",
    "create 0(after 3+0); write 1 active, listed failed p0; release p0; write 1 failed"
)]
// BLI-013, BLI-014
#[case::others_are_not_held_back(
    "3 pods, indexed, 2 at a time, limit per index 1 | 0 fails, 1 runs | lost, 2 active",
    "create 2"
)]
// BLI-003
#[case::an_index_has_failed(
    "3 pods, indexed, limit per index 0 | 0 fails, 1 runs, 2 runs | lost, 3 active",
    "write 2 active, lost 0, listed failed p0; release p0; write 1 failed"
)]
// BLI-007
#[case::the_last_index_decides(
    "2 pods, indexed, limit per index 0 | 0 fails, 1 ok | lost, 2 active",
    "write 0 active, 1 succeeded, done 1, lost 0, listed failed p0, FailureTarget FailedIndexes; release p0 p1; write 1 failed, Failed FailedIndexes and say FailedIndexes"
)]
// BLI-008
#[case::too_many_failed_indexes(
    "4 pods, indexed, limit per index 0, failed indexes up to 0 | 0 fails, 1 runs | lost, 2 active",
    "write 1 active, lost 0, listed failed p0 p1, FailureTarget MaxFailedIndexesExceeded; delete p1; release p0 p1; write 0 active, 1 terminating, 2 failed"
)]
// BLI-005
#[case::completed_beats_failed_in_one_sync(
    "2 pods, indexed, limit per index 0 | 0 fails, 0 ok, 1 runs | lost, 2 active",
    "write 1 active, 1 succeeded, done 0, listed failed p0; release p0 p1; write 1 failed"
)]
// BLI-006
#[case::failed_stays_failed(
    "2 pods, indexed, limit per index 0 | 0 ok, 1 runs | lost 0, 2 active",
    "write 1 active; release p0"
)]
// BLI-009
#[case::the_global_limit_may_win(
    "3 pods, indexed, limit 0, limit per index 5 | 0 fails, 1 runs, 2 runs | lost, 3 active",
    "write 2 active, listed failed p0 p1 p2, FailureTarget BackoffLimitExceeded; delete p1 p2; release p0 p1 p2; write 0 active, 2 terminating, 3 failed"
)]
// BLI-016
#[case::the_gate_is_off(
    "2 pods, indexed, limit per index 0, without JobBackoffLimitPerIndex | 0 fails since 20, 1 runs | lost 0, 2 active",
    "create 0; write no lost, listed failed p0; release p0; write 1 failed"
)]
fn backoff_per_index(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// DLN-002
#[case::a_timer_is_set("1 pods, deadline 30 | 0 runs | started 10, 1 active", "again in 20 s")]
// DLN-001
#[case::it_ran_out(
    "1 pods, deadline 30 | 0 runs | started 30, 1 active",
    "write listed failed p0, FailureTarget DeadlineExceeded; delete p0; release p0; write 0 active, 1 terminating, 1 failed"
)]
// DLN-007
#[case::zero_fails_before_the_first_pod(
    "1 pods, deadline 0 | | fresh",
    "write 0 ready, 0 terminating, started, FailureTarget DeadlineExceeded; write Failed DeadlineExceeded and say DeadlineExceeded"
)]
// DLN-005
#[case::the_limit_is_heard_first(
    "1 pods, deadline 30, limit 0 | 0 fails | started 30, 1 active",
    "write 0 active, listed failed p0, FailureTarget BackoffLimitExceeded; release p0; write 1 failed, Failed BackoffLimitExceeded and say BackoffLimitExceeded"
)]
// DLN-004
#[case::suspended_jobs_have_none("1 pods, deadline 30, suspended | | started 90, Suspended JobSuspended", "nothing")]
// DLN-004
#[case::resuming_starts_it_anew(
    "1 pods, deadline 30 | | started 90, Suspended JobSuspended",
    "create one; say Resumed; write 1 active, started, not Suspended JobResumed; again in 30 s"
)]
// DLN-008
#[case::not_after_the_decision(
    "1 pods, deadline 30 | 0 stops untracked | started 90, 1 terminating, SuccessCriteriaMet X",
    "nothing"
)]
fn deadline(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// SUS-001, EVT-004
#[case::born_suspended(
    "2 pods, suspended | | fresh",
    "say Suspended; write 0 ready, 0 terminating, Suspended JobSuspended"
)]
// SUS-002, SUS-006, SUS-009, SUS-011, SUS-014, PAR-009, PAR-017
#[case::suspending_removes_all_uncounted(
    "9 pods, suspended | 0 runs, 1 ready, 2 pending, 3 runs, 4 runs | 5 active, 1 ready",
    "remove Suspended p0 p1 p2 p3 p4; say Suspended; write 0 active, 0 ready, 5 terminating, unstarted, Suspended JobSuspended"
)]
#[case::the_start_time_stays_without_the_gate(
    "1 pods, suspended, without MutableSchedulingDirectivesForSuspendedJobs | 0 runs | 1 active",
    "remove Suspended p0; say Suspended; write 0 active, 1 terminating, Suspended JobSuspended"
)]
// SUS-003, EVT-004
#[case::resumed(
    "1 pods | | unstarted, Suspended JobSuspended",
    "create one; say Resumed; write 1 active, started, not Suspended JobResumed"
)]
// SUS-015, PRP-002
#[case::resumed_pods_wait_for_the_old_ones(
    "1 pods, replaces only failed | 0 stops untracked | unstarted, 1 terminating, Suspended JobSuspended",
    "say Resumed; write started, not Suspended JobResumed"
)]
// SUS-005
#[case::ended_pods_are_still_counted(
    "2 pods, suspended | 0 ok | started 5, 1 active, Suspended JobSuspended",
    "write 0 active, listed succeeded p0; release p0; write 1 succeeded"
)]
// SUS-008
#[case::finished_jobs_do_not_care("1 pods, suspended | | ended 5, SuccessCriteriaMet X, Complete X", "nothing")]
fn suspend(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

#[rstest]
// FIN-002
#[case::lists_are_counted_when_the_finalizer_is_gone(
    "3 pods, 1 at a time | 0 ok untracked, 1 runs | 1 active, listed succeeded p0 p9, listed failed p8",
    "write 2 succeeded, 1 failed"
)]
// FIN-003
#[case::a_listed_failure_that_turns_into_a_success(
    "2 pods, 1 at a time | 0 ok, 1 runs | 1 active, listed failed p0",
    "release p0; write 1 failed"
)]
// SYN-023
#[case::deleted_jobs_release_and_do_nothing_else(
    "3 pods, deleting | 0 ok, 1 runs | 2 active",
    "write 1 active, listed succeeded p0; release p0 p1; write 1 succeeded"
)]
// FIN-019
#[case::a_pod_that_succeeds_after_the_decision(
    "2 pods, limit 0 | 0 ok | FailureTarget X, 1 failed",
    "write listed succeeded p0; release p0; write 1 succeeded, Failed X and say X"
)]
// PRP-008
#[case::terminal_waits_for_terminating_pods(
    "1 pods, limit 0 | 0 stops untracked | FailureTarget X, 1 failed, 1 terminating",
    "nothing"
)]
// FIN-005
#[case::only_so_many_are_counted_in_one_sync(
    "5 pods | 0 ok, 1 ok, 2 ok, 3 ok, 4 ok | 5 active",
    "write 0 active, listed succeeded p0 p1 p2, SuccessCriteriaMet CompletionsReached; release p0 p1 p2; write 3 succeeded; again at once"
)]
// SYN-011
#[case::orphans_are_adopted("2 pods | 0 orphan | 0 active", "adopt p0; again in 1 s")]
// SYN-012
#[case::strangers_are_let_go("2 pods | 0 runs stranger | 1 active", "let go p0; again in 1 s")]
#[case::deleted_jobs_adopt_nobody("1 pods, deleting | 0 orphan | 0 active", "nothing")]
// SYN-022, EVT-008
#[case::unheard_of_modes_are_left_alone("2 pods, unheard-of mode | 0 ok | 1 active", "say UnknownCompletionMode")]
// SYN-019
#[case::finished_jobs_are_left_alone("2 pods | 0 ok, 1 runs | ended 5, FailureTarget X, Failed X", "nothing")]
// PRP-011
#[case::terminating_pods_are_replaced_without_the_gate(
    "1 pods, replaces only failed, without JobPodReplacementPolicy | 0 stops since 20 | 1 active, 1 terminating",
    "create one; write no terminating, listed failed p0; release p0; write 1 failed"
)]
fn counting(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}
