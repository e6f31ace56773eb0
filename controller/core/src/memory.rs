//! What survives from one sync to the next, and may be lost at any moment (SYN-026).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::backoff::Record;
use crate::refusal::Refusal;
use crate::{Effort, Gates, JobView, Limits, Snapshot, Uid};

/// What is remembered about a Job. Losing it is a restart of the controller: nothing breaks, provided that the first
/// snapshot afterwards comes from a consistent list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The Job that this is about; memory of another UID is worth nothing (SYN-018).
    pub(crate) job: Option<Uid>,
    /// resourceVersion of the Job after our last write (SYN-020, SYN-021).
    pub(crate) written: u64,
    /// Whether the last write made the Job finished (SYN-020).
    pub(crate) finished: bool,
    /// Created pods that were not seen yet, with their resourceVersion.
    pub(crate) created: BTreeMap<Uid, u64>,
    /// Pods whose deletion was not seen yet.
    pub(crate) deleted: BTreeSet<Uid>,
    /// Since when creations or deletions have been waited for (SYN-014).
    pub(crate) waiting_since: Option<Timestamp>,
    /// Whether a creation may or may not have happened.
    pub(crate) unsure: bool,
    /// Pods whose finalizer was removed without that being seen yet (FIN-009).
    pub(crate) released: BTreeSet<Uid>,
    /// Failures since the last success.
    pub(crate) backoff: Record,
    /// Creations that were refused (SYN-005).
    pub(crate) refusal: Option<Refusal>,
    /// The world in which there was nothing to do and nothing to wait for.
    pub(crate) quiet: Option<Quiet>,
}

/// A world that was looked at and left alone, told by its versions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quiet {
    job_revision: u64,
    pods_revision: u64,
    gates: Gates,
    limits: Limits,
    effort: Option<Effort>,
}

impl Quiet {
    /// What to remember of a look that led nowhere; `None` if the caches do not say how far they are.
    pub(crate) fn of(effort: Option<Effort>, seen: &Snapshot<'_>, gates: &Gates, limits: &Limits) -> Option<Self> {
        (seen.pods_revision > 0).then_some(Self {
            job_revision: seen.job.revision,
            pods_revision: seen.pods_revision,
            gates: *gates,
            limits: *limits,
            effort,
        })
    }
}

impl Memory {
    /// What is known of this Job after looking: what became visible is no longer waited for.
    /// A time limit frees a Job whose writes never show; where the cache tells how far it is, there is no need for one
    /// (SYN-007, SYN-014, SYN-016, SYN-018, SYN-021, FIN-009, FIN-020).
    #[must_use]
    pub(crate) fn after_looking(&self, seen: &Snapshot<'_>, now: Timestamp, gates: &Gates, limits: &Limits) -> Self {
        if self.job.as_ref() != Some(&seen.job.uid) {
            return Self { job: Some(seen.job.uid.clone()), ..Self::default() };
        }
        let mut memory = Self { quiet: None, ..self.clone() };
        let waits = !(memory.created.is_empty() && memory.deleted.is_empty() && memory.released.is_empty());
        if waits {
            memory.created.retain(|_, revision| *revision > seen.pods_revision);
            let mut visible: BTreeSet<&Uid> = BTreeSet::new();
            let mut tracked: BTreeSet<&Uid> = BTreeSet::new();
            for pod in seen.pods {
                memory.created.remove(&pod.uid);
                if !pod.deleting {
                    visible.insert(&pod.uid);
                }
                if pod.tracked {
                    tracked.insert(&pod.uid);
                }
            }
            memory.deleted.retain(|uid| visible.contains(uid));
            memory.released.retain(|uid| tracked.contains(uid));
        }
        let expired = memory.waiting_since.is_some_and(|since| now.duration_since(since) >= limits.expectations);
        if expired {
            memory.unsure = false;
            if !gates.stale_consistency || seen.pods_revision == 0 {
                memory.created.clear();
                memory.deleted.clear();
            }
        }
        if memory.is_satisfied() {
            memory.waiting_since = None;
        }
        memory
    }

    /// What kind of work the last look was, if it led nowhere and nothing changed since: no object has another version, and
    /// nothing waits for time to pass (SYN-025).
    pub(crate) fn last_quiet_look(
        &self,
        seen: &Snapshot<'_>,
        gates: &Gates,
        limits: &Limits,
    ) -> Option<Option<Effort>> {
        let quiet = self.quiet.as_ref().filter(|_| self.job.as_ref() == Some(&seen.job.uid))?;
        let same = quiet.job_revision == seen.job.revision && quiet.pods_revision == seen.pods_revision;
        (same && quiet.gates == *gates && quiet.limits == *limits).then_some(quiet.effort)
    }

    /// Whether every creation and deletion has been seen (SYN-014).
    #[must_use]
    pub fn is_satisfied(&self) -> bool {
        self.created.is_empty() && self.deleted.is_empty() && !self.unsure
    }

    /// Tells that the pod cache was filled from a consistent list after the last call ended: pods whose creation was
    /// in doubt are in it, or do not exist.
    pub fn pods_were_listed(&mut self) {
        self.unsure = false;
        self.quiet = None;
        self.created.clear();
        if self.is_satisfied() {
            self.waiting_since = None;
        }
    }

    /// Whether the cache shows an older Job than the one we wrote.
    pub(crate) fn is_ahead_of(&self, job: &JobView) -> bool {
        self.job.as_ref() == Some(&job.uid) && self.written > job.revision
    }
}

#[cfg(test)]
mod tests;
