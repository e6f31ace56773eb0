//! Feature gates switched off and on while Jobs run (UPG-001 to UPG-007).

crate::cases! {
    success_policy_rests_while_its_gate_is_off,
    a_new_success_policy_is_dropped_while_its_gate_is_off,
    what_is_finished_stays_finished,
    a_declared_success_outlives_its_gate,
    failed_indexes_are_forgotten_while_their_gate_is_off,
    a_new_limit_per_index_is_dropped_while_its_gate_is_off,
    stopping_pods_are_replaced_while_their_gate_is_off,
    a_new_replacement_policy_is_dropped_while_its_gate_is_off,
    two_controllers_write_where_managed_by_is_off,
    a_new_manager_is_dropped_while_its_gate_is_off,
    a_killed_controller_flips_too,
    a_suspended_job_does_not_notice,
    a_foreign_job_is_not_served_again,
    a_job_failed_by_its_indexes_stays_failed,
    two_gates_at_once,
}
