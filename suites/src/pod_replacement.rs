//! When a pod that is on its way out is replaced.

mod a_stopping_pod_may_still_succeed;
mod leaving_pods_keep_their_places;
mod replaced_only_when_failed;
mod replaced_while_it_still_stops;
mod the_end_waits_for_stopping_pods;
mod without_the_gate_stopping_is_failing;

pub use a_stopping_pod_may_still_succeed::AStoppingPodMayStillSucceed;
pub use leaving_pods_keep_their_places::LeavingPodsKeepTheirPlaces;
pub use replaced_only_when_failed::ReplacedOnlyWhenFailed;
pub use replaced_while_it_still_stops::ReplacedWhileItStillStops;
pub use the_end_waits_for_stopping_pods::TheEndWaitsForStoppingPods;
pub use without_the_gate_stopping_is_failing::WithoutTheGateStoppingIsFailing;
