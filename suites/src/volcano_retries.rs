//! How often a Volcano Job runs.

crate::cases! {
    runs_are_counted,
    a_restart_waits_for_pods_to_go,
    a_lost_pod_restarts_its_task_once,
    a_restart_survives_a_crash,
    a_failure_that_nobody_saw_is_acted_upon,
}
