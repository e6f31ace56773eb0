//! KEP-2214: every completion has an index.

crate::cases! {
    pods_carry_their_index,
    complete_when_every_index_succeeded,
    completed_indexes_are_compressed,
    lowest_indexes_run_first,
    a_failed_index_is_tried_again,
    scaling_down_drops_indexes,
    a_dropped_index_runs_anew,
    nothing_to_do_is_complete,
    progress_survives_a_crash,
    a_variable_of_ones_own_stays,
    a_dropped_index_is_not_counted,
    a_dropped_failure_ends_nothing,
    a_list_is_read_as_it_is,
    a_dropped_failure_is_forgotten,
}
