//! How many pods a Job runs, and what they look like.

crate::cases! {
    a_template_gives_no_identity,
    a_queue_ends_with_its_first_success,
    no_more_pods_than_are_missing,
    parallelism_can_change,
    pods_are_recognisably_the_jobs,
    surplus_goes_in_parts,
    ends_are_counted_in_parts,
    a_change_is_acted_upon_at_once,
    a_sync_makes_or_deletes,
    the_least_far_go_first,
    zero_completions_while_suspended,
    successes_too_many_are_told,
    an_error_ends_a_batch,
    leaving_pods_hold_nothing_up,
}
