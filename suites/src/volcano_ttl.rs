//! When finished Volcano Jobs go.

crate::cases! {
    finished_jobs_go_in_time,
    aborted_jobs_stay,
    time_to_live_outlives_the_controller,
    all_that_is_a_jobs_goes_with_it,
}
