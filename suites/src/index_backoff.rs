//! The backoff limit per index.

crate::cases! {
    every_index_has_its_try,
    fail_index_gives_up_at_once,
    failed_pod_waits_for_its_heir,
    failure_count_travels_with_the_index,
    an_ignored_failure_costs_no_try,
    indexes_back_off_apart,
    an_old_failure_waits_for_no_other_index,
    the_whole_jobs_limit_comes_first,
    too_many_failed_indexes_end_the_job,
    neighbours_count_each,
    without_the_gate_an_index_is_tried_again,
    the_highest_count_is_carried_on,
}
