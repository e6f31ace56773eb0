//! What only kubelets do: containers that really start, are told to stop, are restarted and evicted.

mod a_drained_node_loses_its_pods;
mod a_hundred_pods_start_at_once;
mod evicted_pods_are_replaced_for_free;
mod grace_is_given_and_no_more;
mod restarts_in_place_are_no_failures;
mod the_container_knows_its_index;

pub use a_drained_node_loses_its_pods::ADrainedNodeLosesItsPods;
pub use a_hundred_pods_start_at_once::AHundredPodsStartAtOnce;
pub use evicted_pods_are_replaced_for_free::EvictedPodsAreReplacedForFree;
pub use grace_is_given_and_no_more::GraceIsGivenAndNoMore;
pub use restarts_in_place_are_no_failures::RestartsInPlaceAreNoFailures;
pub use the_container_knows_its_index::TheContainerKnowsItsIndex;
