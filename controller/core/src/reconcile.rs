//! One sync: the order in which the policies are asked.

use jiff::Timestamp;

use crate::{Decision, Gates, Limits, Memory, Outcome, Requeue, Snapshot};

/// Decides what to do about a Job.
#[must_use]
pub fn reconcile(seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, gates: &Gates, limits: &Limits) -> Decision {
    let _ = (seen, gates, limits, now);
    Decision {
        notices: Vec::new(),
        samples: Vec::new(),
        batches: Vec::new(),
        rest: None,
        memory: memory.clone(),
        requeue: Requeue::No,
        effort: None,
    }
}

/// What is left of a sync once its calls have ended.
#[derive(Clone, Debug)]
pub struct Rest {}

impl Rest {
    /// How the sync goes on. `outcomes` has one list per batch of the decision, with one outcome per action, in the
    /// same order; calls that were not made are [`Outcome::Skipped`].
    #[must_use]
    pub fn after(self, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        let _ = (self, outcomes, now);
        Decision {
            notices: Vec::new(),
            samples: Vec::new(),
            batches: Vec::new(),
            rest: None,
            memory: Memory::default(),
            requeue: Requeue::No,
            effort: None,
        }
    }
}
