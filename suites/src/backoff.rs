//! The backoff limit of a Job, and the delay before pods are replaced.

crate::cases! {
    failures_are_counted_while_others_run,
    failures_at_once_add_up,
    failures_before_a_success_are_forgotten,
    limit_allows_one_failure_more,
    limit_zero_bears_no_restart,
    refused_creations_are_no_failures,
    replacements_wait_longer_each_time,
    restarts_in_place_reach_the_limit,
    restarts_of_init_containers_count,
    room_in_a_quota_is_used_soon,
    stopped_pods_count_as_failed,
    success_resets_the_delay,
    the_delay_counts_from_the_end_of_the_pod,
    the_delay_goes_on_doubling,
    a_namesake_has_no_record,
}
