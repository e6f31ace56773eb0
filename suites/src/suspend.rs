//! Suspended and resumed Jobs.

crate::cases! {
    created_suspended_then_resumed,
    running_pods_go_uncounted,
    resumed_while_pods_stop,
    completed_indexes_stay,
    start_time_is_cleared,
    start_time_stays_until_resumed,
    restart_creates_nothing,
    no_effect_after_success,
    no_effect_on_a_finished_job,
    edited_template_is_used,
    edited_before_it_is_noticed,
    a_resuspended_job_can_be_edited,
    new_resources_wait_for_old_pods,
    events_tell_of_changes_alone,
    all_pods_go_at_once,
}
