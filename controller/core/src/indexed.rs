//! Indexed Jobs: which indexes are completed, failed, pending; elastic ones included.

use jobsworth_api::IndexSet;

use crate::census::{Census, Member};
use crate::counting::Recorded;
use crate::failure_policy::FailureAction;
use crate::pod::Phase;
use crate::{Gates, JobSpec, JobView};

/// Completed and failed indexes as this sync sees them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indexes {
    /// Completed before, in range (IDX-019, IDX-022, IDX-023).
    pub completed_before: IndexSet,
    /// Completed, those of this sync included.
    pub completed: IndexSet,
    /// Failed for good, with a limit per index.
    pub failed: Option<IndexSet>,
}

impl Indexes {
    /// Status and pods together. An index that failed for good stays failed although a pod of it succeeds; one that
    /// completes and fails in the same sync is completed: no index is both
    /// (IDX-010, IDX-015, IDX-017, IDX-019, IDX-022, IDX-023, BLI-003, BLI-004, BLI-005, BLI-015, BLI-016, SUC-006).
    pub fn of(job: &JobView, census: &Census<'_>, recorded: &Recorded<'_>, gates: &Gates) -> Self {
        let spec = &job.spec;
        let below = spec.indexes_below().unwrap_or_default();
        let completed_before = job.status.completed.clipped(below);
        let per_index = limit(spec, gates).map(|limit| {
            let before = job.status.failed_indexes.as_ref().map(|set| set.clipped(below)).unwrap_or_default();
            (limit, before.minus(&completed_before))
        });
        let ended = |phase: Phase| {
            let tracked = census.members.iter().filter(move |member| member.tracked && member.pod.phase == phase);
            tracked.filter(|member| !recorded.failed.contains(&member.pod.uid))
        };
        let new: IndexSet = ended(Phase::Succeeded).filter_map(|member| member.valid_index(spec)).collect();
        let new = match &per_index {
            Some((_, failed)) => new.minus(failed),
            None => new,
        };
        let completed = completed_before.union(&new);
        let failed = per_index.map(|(limit, before)| {
            let tracked = census.members.iter().filter(|member| member.tracked && census.has_failed(member));
            let new: IndexSet = tracked
                .filter(|member| fails_index(job, member, limit, gates))
                .filter_map(|m| m.valid_index(spec))
                .collect();
            before.union(&new.minus(&completed))
        });
        Self { completed_before, completed, failed }
    }

    /// The lowest indexes that need a pod, at most so many; `busy` have one (IDX-008, IDX-010, IDX-011, BLI-006, PRP-005).
    pub fn pending(&self, below: u32, busy: &IndexSet, count: usize) -> Vec<u32> {
        let mut taken = self.completed.union(busy);
        if let Some(failed) = &self.failed {
            taken = taken.union(failed);
        }
        taken.missing(below, count)
    }
}

/// The limit per index, as far as the gate lets it count (BLI-016).
pub(crate) fn limit(spec: &JobSpec, gates: &Gates) -> Option<u32> {
    spec.backoff_limit_per_index.filter(|_| gates.backoff_limit_per_index && spec.is_indexed())
}

/// Whether this failure makes its index fail for good (BLI-003, PFP-011).
fn fails_index(job: &JobView, member: &Member<'_>, limit: u32, gates: &Gates) -> bool {
    match member.ruling(job, gates).map(|ruling| ruling.action) {
        Some(FailureAction::FailIndex) => true,
        Some(FailureAction::Ignore) => false,
        _ => member.pod.failures.counted >= limit,
    }
}
