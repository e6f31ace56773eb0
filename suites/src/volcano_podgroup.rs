//! What the scheduler is told of a Volcano Job.

crate::cases! {
    the_group_tells_the_scheduler,
    what_a_gang_asks_for,
    partitions_are_groups_of_the_group,
    a_group_that_is_deleted_comes_back,
    why_a_group_waits_is_told,
    a_namespace_names_its_queue,
}
