//! Volcano Jobs and a scheduler of gangs that has only so much room.

crate::cases! {
    all_or_nothing,
    pods_wait_for_their_gang,
    the_driver_comes_first,
    what_is_left_is_shared,
    a_gang_that_falls_apart_is_unknown,
}
