//! What Volcano Jobs do about events and exit codes.

crate::cases! {
    a_pod_that_fails,
    a_pod_that_is_lost,
    a_task_that_completes,
    a_task_that_fails,
    a_group_that_is_unknown,
    exit_codes,
    any_container_may_say_the_code,
    task_policies_come_first,
    any_event_is_any_event,
    several_events_of_one_policy,
    pods_of_an_earlier_version_are_no_news,
    own_kills_are_no_losses,
    a_pod_that_waits_is_an_event_in_time,
    changes_of_a_job_are_no_event,
    a_success_that_is_cleared_away_stays_one,
}
