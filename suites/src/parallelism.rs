//! How many pods a Job runs, and what they look like.

crate::cases! {
    a_template_gives_no_identity,
    a_queue_ends_with_its_first_success,
    no_more_pods_than_are_missing,
    parallelism_can_change,
    pods_are_recognisably_the_jobs,
    surplus_goes_in_parts,
}
