//! What a Job's status and events say about it.

crate::cases! {
    events_tell_the_story,
    a_failure_is_announced_with_its_reason,
    conditions_of_others_stay,
    without_both_gates_the_end_is_immediate,
    a_job_without_a_controller_waits,
    a_quiet_job_is_left_alone,
    ends_of_pods_are_gathered,
    an_old_annotation_means_nothing,
}
