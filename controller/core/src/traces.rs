//! What calls and status writes leave in events and metrics.

use crate::{Action, Failure, Gates, JobSpec, Notice, Outcome, Sample, Status, indexed};

impl Notice {
    /// The event that a creation or deletion of a pod leaves (EVT-001, EVT-002, EVT-003).
    #[must_use]
    pub fn about(action: &Action, outcome: &Outcome) -> Option<Self> {
        match (action, outcome) {
            (Action::CreatePod(_), Outcome::Created { name, .. }) => {
                Some(Self::normal("SuccessfulCreate", format!("Created pod: {name}")))
            }
            (Action::CreatePod(_), Outcome::Failed(Failure::Other(error))) => {
                Some(Self::warning("FailedCreate", format!("Error creating: {error}")))
            }
            (Action::DeletePod { name, .. } | Action::StripAndDelete { name, .. }, outcome) => match outcome {
                Outcome::Done { .. } | Outcome::Gone => {
                    Some(Self::normal("SuccessfulDelete", format!("Deleted pod: {name}")))
                }
                Outcome::Failed(Failure::Other(error)) => {
                    Some(Self::warning("FailedDelete", format!("Error deleting: {error}")))
                }
                _ => None,
            },
            _ => None,
        }
    }
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
