//! Volcano Jobs that grow and shrink.

crate::cases! {
    more_pods,
    fewer_pods,
    to_nothing_and_back,
    another_priority,
    it_grows_without_a_controller,
}
