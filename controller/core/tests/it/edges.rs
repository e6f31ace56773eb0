//! Worlds at the edges of the requirements: gates that come back, policies that change, pods of other hands.

use jobsworth_core::{Gates, Limits, Memory, PodView, Snapshot, reconcile};
use rstest::rstest;

use crate::script::check;
use crate::simulator::World;
use crate::world;

#[rstest]
// PAR-008
#[case::what_is_too_much_goes_before_what_is_missing_comes(
    "3 pods, indexed | 0 runs, 0 ready | 2 active, 1 ready",
    "remove Duplicate p0; write 1 active, 1 terminating"
)]
// IDX-009
#[case::the_index_does_not_choose_the_victim(
    "3 pods, indexed, 1 at a time | 0 ready, 1 pending, 2 runs | 3 active, 1 ready",
    "remove Surplus p1 p2; write 1 active, 2 terminating"
)]
// SUC-016
#[case::what_was_completed_while_the_gate_was_off_counts(
    "3 pods, indexed, rule: 0 | 1 runs untracked | done 0, 1 active",
    "write SuccessCriteriaMet SuccessPolicy; delete p0; write 0 active, 1 terminating"
)]
// SUC-023
#[case::what_could_not_be_written_follows_from_the_completed_indexes(
    "2 pods, indexed, rule: 1 of any | | done 1",
    "write SuccessCriteriaMet SuccessPolicy; write Complete SuccessPolicy and say Completed"
)]
// PFP-006
#[case::an_action_from_the_future_is_passed_over(
    "2 pods, Explode on 42, Ignore on 42 | 0 exits 42, 1 runs | 2 active",
    "write 1 active; release p0; again in 10 s"
)]
// PFP-006
#[case::an_index_cannot_fail_without_a_limit_per_index(
    "2 pods, indexed, FailIndex on 42, Ignore on 42 | 0 exits 42, 1 runs | 2 active",
    "write 1 active; release p0; again in 10 s"
)]
// PFP-017
#[case::containers_that_restart_in_place_are_not_judged(
    "1 pods, FailJob on not 0 | 0 runs restarted 3 | 1 active",
    "nothing"
)]
// BLI-015
#[case::failures_beyond_the_range_fail_no_index(
    "2 pods, indexed, limit per index 0 | 5 fails, 0 runs, 1 runs | lost, 2 active",
    "release p0"
)]
// BLI-017
#[case::failures_before_the_gate_came_back_are_forgotten(
    "2 pods, indexed, limit per index 0 | 0 fails untracked, 1 runs | 1 active",
    "create 0; write 2 active, lost "
)]
// BLI-018
#[case::fewer_failed_indexes_may_be_allowed_later(
    "4 pods, indexed, limit per index 0, failed indexes up to 0 | 1 runs untracked | lost 0+2, 1 active",
    "write FailureTarget MaxFailedIndexesExceeded; delete p0; write 0 active, 1 terminating"
)]
// DLN-003
#[case::a_deadline_may_be_set_on_a_started_job("1 pods, deadline 60 | 0 runs | started 50, 1 active", "again in 10 s")]
// DLN-005
#[case::the_failure_policy_is_heard_before_limit_and_deadline(
    "1 pods, FailJob on 42, limit 0, deadline 30 | 0 exits 42 | started 30, 1 active",
    "write 0 active, listed failed p0, FailureTarget PodFailurePolicy; release p0; write 1 failed, Failed PodFailurePolicy and say PodFailurePolicy"
)]
// PRP-006
#[case::a_terminating_pod_may_still_succeed(
    "2 pods, replaces only failed | 0 ok deleted, 1 runs | 1 active, 1 terminating",
    "write 0 terminating, listed succeeded p0; release p0; write 1 succeeded"
)]
// PRP-012
#[case::what_was_counted_without_the_gate_is_not_counted_again(
    "1 pods, replaces only failed | 0 stops untracked | 1 failed, 1 terminating",
    "nothing"
)]
// SYN-027
#[case::a_selector_that_matches_proves_nothing(
    "1 pods, indexed | 0 runs orphan deleted | 0 active",
    "create 0; write 1 active"
)]
// STA-006
#[case::without_both_gates_a_terminal_condition_waits_for_nobody(
    "1 pods, limit 0, without JobManagedBy, without JobPodReplacementPolicy | 0 stops untracked | 1 failed, 1 active",
    "write 0 active, no terminating; write Failed BackoffLimitExceeded and say BackoffLimitExceeded"
)]
fn edges(#[case] world: &str, #[case] decision: &str) {
    check(world, decision);
}

/// (SYN-027, SYN-008)
#[test]
fn a_pod_of_another_job_is_nobodys_business_although_the_selector_matches() {
    let (mut job, other) = (world::job("1 pods"), world::job("1 pods"));
    job.status = world::status("0 active", &job);
    let mut pods = world::pods("0 ok", &other);
    pods[0].owner.as_mut().unwrap().uid = "another".into();
    let pods: Vec<&PodView> = pods.iter().collect();
    let seen = Snapshot { job: &job, pods: &pods, pods_revision: 1 };
    let decision = reconcile(&seen, &Memory::default(), world::start(), &Gates::V1_36, &Limits::UPSTREAM);
    let calls: Vec<_> = decision.batches.iter().flat_map(|batch| &batch.actions).collect();
    assert!(matches!(calls[..], [jobsworth_core::Action::CreatePod(_)]), "{calls:?}");
}

/// Beyond what one sync may do, and beyond what one sync may count (PAR-025, PAR-005, PAR-007, FIN-005, FIN-006).
#[test]
fn twelve_hundred_pods_at_once_succeed_exactly_twelve_hundred_times() {
    let mut world = World::new(world::job("1200 pods"), Gates::V1_36, Limits::UPSTREAM);
    for _ in 0..20 {
        world.sync();
        let live = world.pods.iter().filter(|pod| pod.is_active()).count();
        (0..live).for_each(|_| world.end(0, 0));
        if world.job.status.is_finished() {
            break;
        }
    }
    assert!(world.job.status.is_finished());
    assert_eq!((world.job.status.succeeded, world.pods.len()), (1200, 1200));
    assert!(world.job.status.uncounted.is_empty());
}

/// The statuses written for two pods that end together (SUC-021).
#[rstest]
#[case::with_an_interim_condition("2 pods, indexed", 2)]
#[case::without_it("2 pods, indexed, without gates", 2)]
fn an_interim_condition_costs_at_most_one_status_more(#[case] job: &str, #[case] at_most: usize) {
    let gates = Gates {
        managed_by: !job.contains("without"),
        pod_replacement_policy: !job.contains("without"),
        ..Gates::V1_36
    };
    let mut world = World::new(world::job(job.trim_end_matches(", without gates")), gates, Limits::UPSTREAM);
    world.sync();
    world.end(0, 0);
    world.end(0, 0);
    let mut written = 0;
    while world.sync() {
        written += world.calls.iter().filter(|call| matches!(call, jobsworth_core::Action::WriteStatus(_))).count();
    }
    assert!(world.job.status.is_finished());
    assert!(written <= at_most, "{written} statuses");
}
