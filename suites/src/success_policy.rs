//! KEP-3998: a Job succeeds when its policy says so.

crate::cases! {
    leader_index_decides,
    any_count_decides,
    a_sign_or_a_zero_changes_no_index,
    a_list_has_gaps_and_intervals,
    only_listed_indexes_count,
    first_matching_rule_wins,
    leader_or_quorum,
    lingering_pods_hold_the_end_back,
    without_a_policy_completions_decide,
    all_indexes_still_mean_the_policy,
    restarts_in_place_do_not_matter,
    failed_indexes_do_not_forbid_success,
    a_declared_success_outlives_failures,
    fail_job_rule_beats_success,
    backoff_limit_beats_success,
    deadline_beats_success,
    failed_indexes_beat_success,
    a_declared_failure_outlives_successes,
    without_the_gate_all_indexes_are_needed,
    one_write_more,
}

use crate::words::*;

/// What must be found when one sync sees index 0 succeed, which the policy names, and a failure for this reason.
fn failure_is_heard_first(reason: &'static str) -> Expectations {
    let doomed = job().has(FailureTarget.because(reason));
    let failed = job().has(Failed.because(reason));
    Expectations::from([
        ("the failure is heard first", eventually(doomed.clone())),
        ("the Job then fails for the same reason", after(&doomed, eventually(failed))),
        ("its success is never declared", never(job().has(SuccessCriteriaMet))),
        ("nor is it complete", never(job().has(Complete))),
        ("although the success is counted", eventually(job().completed_indexes("0").and(job().succeeded(1)))),
    ])
}
