//! What only kubelets do: containers that really start, are told to stop, are restarted and evicted.

crate::cases! {
    the_container_knows_its_index,
    restarts_in_place_are_no_failures,
    grace_is_given_and_no_more,
    evicted_pods_are_replaced_for_free,
    a_drained_node_loses_its_pods,
    a_hundred_pods_start_at_once,
}
