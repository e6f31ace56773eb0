//! Other versions of Kubernetes under Jobs that run (UPG-015, UPG-017 to UPG-023).

crate::cases! {
    a_running_job_goes_on,
    progress_is_kept,
    a_suspended_job_sleeps_through,
    finished_jobs_are_left_alone,
    the_controller_dies_at_the_change,
    there_and_back,
    an_api_server_ahead,
    the_start_of_a_suspended_job_is_cleared_since,
    a_time_to_live_goes_on,
    a_decision_is_carried_out,
    failed_indexes_are_kept,
    a_deadline_goes_on,
    stopping_pods_keep_their_places,
    a_foreign_job_stays_foreign,
}
