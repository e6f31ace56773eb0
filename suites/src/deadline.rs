//! The active deadline of a Job.

crate::cases! {
    fires_without_a_pod_event,
    fires_while_creations_are_refused,
    fires_while_a_failure_is_waited_out,
    survives_a_restart,
    zero_fails_before_any_pod,
    not_after_success_is_decided,
    a_suspended_job_has_none,
    resumed_too_late_without_the_gate,
    follows_the_field,
}
