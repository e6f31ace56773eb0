//! Metrics that decisions leave (MET-005 to MET-015), without a registry.

/// One thing to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sample {
    /// `job_controller_jobs_finished_total` (MET-005).
    JobFinished {
        /// Whether it is Complete; otherwise it is Failed.
        succeeded: bool,
        /// The reason of the terminal condition.
        reason: String,
    },
    /// `job_controller_job_pods_finished_total` (MET-007).
    PodsFinished {
        /// Newly counted successes.
        succeeded: u64,
        /// Newly counted failures.
        failed: u64,
    },
    /// `job_controller_job_finished_indexes_total` (MET-010).
    IndexesFinished {
        /// Newly completed indexes.
        succeeded: u64,
        /// Newly failed indexes.
        failed: u64,
        /// Label `backoffLimit`: `perIndex` or `global`.
        per_index: bool,
    },
    /// `job_controller_pod_failures_handled_by_failure_policy_total` (MET-008).
    FailureHandled {
        /// Label `action`: FailJob, FailIndex, Ignore or Count.
        action: &'static str,
        /// How many pods.
        count: u64,
    },
    /// `job_controller_job_pods_creation_total` (MET-011).
    PodCreation {
        /// Label `reason`.
        reason: &'static str,
        /// Label `status`.
        succeeded: bool,
    },
    /// `job_controller_stale_sync_skips_total` (MET-015).
    StaleSyncSkipped,
}
