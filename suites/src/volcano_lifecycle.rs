//! From a new Volcano Job to its end: groups, pods, phases, counters.

crate::cases! {
    pods_come_once_the_group_is_in_queue,
    a_job_whose_pods_succeed_is_completed,
    a_job_whose_pods_fail_is_failed,
    enough_successes_complete_a_job,
    a_task_below_its_minimum_fails_the_job,
    enough_successes_at_once,
    too_few_successes_fail_a_job,
    a_job_that_lacks_pods_is_pending_again,
    pods_that_ended_count_as_started,
    a_job_without_pods_runs,
    each_phase_is_told_once,
    labels_are_no_work,
    a_deleted_job_is_left_alone,
    a_namesake_starts_afresh,
    twenty_namesakes_in_a_row,
    progress_survives_a_crash,
}
