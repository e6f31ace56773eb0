//! Pod failure policies: what a failed pod means for its Job.

crate::cases! {
    a_late_match_changes_no_reason,
    a_match_beats_completions,
    disrupted_pod_may_succeed,
    disruptions_do_not_count,
    exit_codes_are_read_per_container,
    fail_job_rule_ends_the_job,
    false_failure_target_decides_nothing,
    first_matching_rule_decides,
    ignored_failures_cost_time_only,
    ignored_pods_that_still_stop_do_not_count,
    init_containers_are_heard_too,
    leftovers_change_no_reason,
    verdict_outlives_its_evidence,
}
