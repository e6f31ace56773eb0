//! When a pod that is on its way out is replaced.

crate::cases! {
    a_stopping_pod_may_still_succeed,
    deleted_before_it_started,
    leaving_pods_keep_their_places,
    replaced_only_when_failed,
    replaced_while_it_still_stops,
    the_end_waits_for_stopping_pods,
    without_the_gate_stopping_is_failing,
    a_new_policy_holds_from_then_on,
    a_stopping_pod_is_not_ready,
}
