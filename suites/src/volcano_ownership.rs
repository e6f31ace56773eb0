//! What belongs to a Volcano Job, and what does not.

crate::cases! {
    jobs_of_two_apis_share_a_name,
    all_that_is_made_is_owned,
    deleted_while_nobody_is_there,
}
