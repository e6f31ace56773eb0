//! Actions that wait for a time to be over.

crate::cases! {
    an_action_waits_for_its_time,
    a_second_event_waits_no_longer,
    a_pod_that_starts_in_time_is_spared,
    a_replacement_in_time_is_enough,
    pods_that_wait_together_end_their_job,
    a_timed_restart_is_counted,
    time_goes_on_without_a_controller,
    a_new_controller_takes_nobody_for_waiting,
    a_time_ends_with_its_job,
}
