//! The first decision of a sync: what it finds is what is there. Those that follow were made before their own writes.

use std::collections::BTreeSet;

use jobsworth_core::{Decision, Requeue, Uid};

use crate::{Notes, Observed};

/// Syncs whose first decision is yet to come, by Job.
#[derive(Debug, Default)]
pub(crate) struct FirstDecisions(Notes<BTreeSet<Uid>>);

impl FirstDecisions {
    /// A sync looks at its Job.
    pub(crate) fn await_one(&self, observed: &Observed) {
        self.0.open().insert(observed.job.uid.clone());
    }

    /// Whether this decision is the first of its sync.
    pub(crate) fn is_one(&self, observed: &Observed) -> bool {
        self.0.open().remove(&observed.job.uid)
    }

    /// Whether this decision is the first of its sync, and a whole look at a Job that goes on found nothing to do.
    pub(crate) fn is_idle_one(&self, observed: &Observed, decision: &Decision) -> bool {
        let goes_on = !observed.job.status.is_finished() && !observed.job.deleting;
        // What is put off because the cache is behind has no effort.
        self.is_one(observed) && goes_on && decision.effort.is_some() && does_nothing(decision)
    }
}

/// Whether a decision makes no call, neither now nor later in its sync.
pub(crate) fn does_nothing(decision: &Decision) -> bool {
    decision.batches.is_empty() && decision.awaiting.is_none()
}

/// The sync ends here, as if it had not been; the Job is looked at again when this says so.
pub(crate) fn do_nothing(decision: &mut Decision, requeue: Requeue) {
    decision.batches.clear();
    decision.notices.clear();
    decision.samples.clear();
    (decision.awaiting, decision.effort, decision.requeue) = (None, None, requeue);
}
