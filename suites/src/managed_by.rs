//! Jobs that are left to another controller.

crate::cases! {
    a_foreign_job_is_left_alone,
    the_reserved_value_means_built_in,
    time_to_live_holds_for_foreign_jobs,
    the_field_is_immutable,
    ignored_with_the_gate_off,
    a_foreign_namesake_is_left_alone,
    foreign_pods_stay_tracked,
}
