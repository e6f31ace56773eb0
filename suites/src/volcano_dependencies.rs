//! Tasks that wait for others.

crate::cases! {
    a_task_waits_for_another,
    success_is_readiness,
    one_of_several_may_be_enough,
    what_has_begun_goes_on,
}
