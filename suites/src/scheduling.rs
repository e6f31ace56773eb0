//! KEP-5547: Workloads and `PodGroup`s that the Job controller keeps for the scheduler.

mod a_gang_counts_what_may_run;
mod a_parallel_indexed_job_is_a_gang;
mod a_parent_delegates_the_pod_group;
mod a_refused_group_holds_pods_back;
mod a_restart_makes_no_twin;
mod a_root_job_has_a_pod_group;
mod a_started_job_stays_without;
mod a_suspended_job_has_its_group_first;
mod a_workload_of_another_stays;
mod an_owner_is_no_parent;
mod no_job_is_a_gang_unasked;
mod refused_objects_hold_pods_back;
mod two_workloads_mean_none;
mod who_brings_a_group_gets_none;

pub use a_gang_counts_what_may_run::AGangCountsWhatMayRun;
pub use a_parallel_indexed_job_is_a_gang::AParallelIndexedJobIsAGang;
pub use a_parent_delegates_the_pod_group::AParentDelegatesThePodGroup;
pub use a_refused_group_holds_pods_back::ARefusedGroupHoldsPodsBack;
pub use a_restart_makes_no_twin::ARestartMakesNoTwin;
pub use a_root_job_has_a_pod_group::ARootJobHasAPodGroup;
pub use a_started_job_stays_without::AStartedJobStaysWithout;
pub use a_suspended_job_has_its_group_first::ASuspendedJobHasItsGroupFirst;
pub use a_workload_of_another_stays::AWorkloadOfAnotherStays;
pub use an_owner_is_no_parent::AnOwnerIsNoParent;
pub use no_job_is_a_gang_unasked::NoJobIsAGangUnasked;
pub use refused_objects_hold_pods_back::RefusedObjectsHoldPodsBack;
pub use two_workloads_mean_none::TwoWorkloadsMeanNone;
pub use who_brings_a_group_gets_none::WhoBringsAGroupGetsNone;

/// Gates that must be on for the Job controller to make such objects.
const GATES: &[&str] = &["GenericWorkload", "WorkloadWithJob"];
