//! KEP-592: finished Jobs are removed when their time is over.

crate::cases! {
    zero_removes_at_once,
    counted_from_the_finish,
    set_late,
    extended_at_the_last_moment,
    cleared_at_the_last_moment,
    shortened_after_the_finish,
    only_a_finished_job_goes,
    a_failed_job_goes_too,
    a_decision_is_no_finish,
    pods_go_first,
    a_finalizer_holds_the_job,
    restart_rebuilds_timers,
    recreated_namesake_stays,
    an_owner_is_no_protection,
    a_clock_that_is_wrong,
    a_burst_is_drained,
}
