//! What Volcano Jobs do when they are told to, phase by phase.

crate::cases! {
    what_a_pending_job_obeys,
    what_a_running_job_obeys,
    orders_are_heard_while_restarting,
    an_aborting_job_only_resumes,
    an_aborted_job_only_resumes,
    a_job_on_its_way_out_goes_on,
    a_finished_job_obeys_nobody,
    resuming_is_no_retry,
    orders_for_nobody,
    an_order_waits_for_the_controller,
    restarts_of_nobody_in_particular,
    orders_that_are_given_twice,
}
