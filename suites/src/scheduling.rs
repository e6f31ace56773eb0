//! KEP-5547: Workloads and `PodGroup`s that the Job controller keeps for the scheduler.

crate::cases! {
    a_parallel_indexed_job_is_a_gang,
    a_root_job_has_a_pod_group,
    no_job_is_a_gang_unasked,
    an_owner_is_no_parent,
    a_workload_of_another_stays,
    a_gang_counts_what_may_run,
    a_suspended_job_has_its_group_first,
    who_brings_a_group_gets_none,
    a_parent_delegates_the_pod_group,
    two_workloads_mean_none,
    refused_objects_hold_pods_back,
    a_refused_group_holds_pods_back,
    a_restart_makes_no_twin,
    a_started_job_stays_without,
}

/// Gates that must be on for the Job controller to make such objects.
const GATES: &[&str] = &["GenericWorkload", "WorkloadWithJob"];
