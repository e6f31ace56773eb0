//! Feature gates that change what the Job controller decides. An argument everywhere, never a global.

/// Which features are on. The names are those of the Kubernetes feature gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    /// `JobSuccessPolicy`: success policy, and reason and message of a reached completion count.
    pub success_policy: bool,
    /// `JobBackoffLimitPerIndex`: `backoffLimitPerIndex`, `maxFailedIndexes`, action `FailIndex`.
    pub backoff_limit_per_index: bool,
    /// `JobPodReplacementPolicy`: `podReplacementPolicy`, `status.terminating`.
    pub pod_replacement_policy: bool,
    /// `JobPodFailurePolicy`: `podFailurePolicy`.
    pub pod_failure_policy: bool,
    /// `JobManagedBy`: `managedBy`, strict validation of the status.
    pub managed_by: bool,
    /// `PodIndexLabel`: the index of a pod as a label too.
    pub pod_index_label: bool,
    /// `MutableSchedulingDirectivesForSuspendedJobs`: suspending clears `status.startTime`.
    pub mutable_scheduling_directives: bool,
    /// `StaleControllerConsistencyJob`: a sync waits until own writes are visible.
    pub stale_consistency: bool,
    /// `WorkloadWithJob`: a Workload and a `PodGroup` per Job.
    pub workload_with_job: bool,
}

impl Gates {
    /// The defaults of Kubernetes 1.36 and 1.37: everything is on that is not alpha.
    pub const V1_36: Self = Self {
        success_policy: true,
        backoff_limit_per_index: true,
        pod_replacement_policy: true,
        pod_failure_policy: true,
        managed_by: true,
        pod_index_label: true,
        mutable_scheduling_directives: true,
        stale_consistency: true,
        workload_with_job: false,
    };

    /// Switches the gate of this Kubernetes name; false when no decision here depends on such a gate.
    pub fn switch(&mut self, name: &str, on: bool) -> bool {
        let gate = match name {
            "JobSuccessPolicy" => &mut self.success_policy,
            "JobBackoffLimitPerIndex" => &mut self.backoff_limit_per_index,
            "JobPodReplacementPolicy" => &mut self.pod_replacement_policy,
            "JobPodFailurePolicy" => &mut self.pod_failure_policy,
            "JobManagedBy" => &mut self.managed_by,
            "PodIndexLabel" => &mut self.pod_index_label,
            "MutableSchedulingDirectivesForSuspendedJobs" => &mut self.mutable_scheduling_directives,
            "StaleControllerConsistencyJob" => &mut self.stale_consistency,
            "WorkloadWithJob" => &mut self.workload_with_job,
            _ => return false,
        };
        *gate = on;
        true
    }

    /// Whether terminal conditions wait for terminating pods, and interim ones precede them (STA-006).
    #[must_use]
    pub const fn delays_terminal_condition(&self) -> bool {
        self.managed_by || self.pod_replacement_policy
    }
}
