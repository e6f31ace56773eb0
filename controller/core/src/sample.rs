//! Metrics that decisions leave (MET-005 to MET-015), without a registry.

use crate::{Action, Failure, Gates, JobSpec, Outcome, Status, indexed};

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

impl Sample {
    /// What a call leaves: a creation counts once, as what it was (MET-011, MET-013).
    /// (MET-012)
    #[must_use]
    pub fn about(action: &Action, outcome: &Outcome) -> Option<Self> {
        let Action::CreatePod(pod) = action else { return None };
        match outcome {
            Outcome::Created { .. } => Some(Self::PodCreation { reason: pod.reason, succeeded: true }),
            Outcome::Failed(Failure::Later(_)) => None,
            Outcome::Failed(_) | Outcome::Unknown => Some(Self::PodCreation { reason: pod.reason, succeeded: false }),
            Outcome::Done { .. } | Outcome::Gone | Outcome::Skipped => None,
        }
    }
}

/// What a status write leaves: newly counted pods and indexes, compared inside the range, so that nothing ever goes
/// down (MET-007, MET-010, MET-019).
pub(crate) fn between(old: &Status, new: &Status, spec: &JobSpec, gates: &Gates) -> Vec<Sample> {
    let mut samples = Vec::new();
    let failed = u64::from(new.failed.saturating_sub(old.failed));
    if !spec.is_indexed() {
        let succeeded = u64::from(new.succeeded.saturating_sub(old.succeeded));
        samples.push(Sample::PodsFinished { succeeded, failed });
    } else {
        let fresh = |old: &jobsworth_api::IndexSet, new: &jobsworth_api::IndexSet| {
            if old == new { 0 } else { new.minus(old).len() }
        };
        let succeeded = fresh(&old.completed, &new.completed);
        samples.push(Sample::PodsFinished { succeeded, failed });
        let none = jobsworth_api::IndexSet::new();
        let [before, after] = [old, new].map(|status| status.failed_indexes.as_deref().unwrap_or(&none));
        let per_index = indexed::limit(spec, gates).is_some();
        samples.push(Sample::IndexesFinished { succeeded, failed: fresh(before, after), per_index });
    }
    samples.retain(|sample| {
        !matches!(
            sample,
            Sample::PodsFinished { succeeded: 0, failed: 0 } | Sample::IndexesFinished { succeeded: 0, failed: 0, .. }
        )
    });
    samples
}
