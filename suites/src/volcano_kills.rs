//! Which pods and objects go when a Volcano Job, a task, a pod or a partition is killed.

crate::cases! {
    what_ended_stays,
    a_restart_takes_all,
    the_last_failure_stays,
    a_task_is_restarted_alone,
    a_pod_is_restarted_alone,
    a_partition_is_restarted_alone,
}
