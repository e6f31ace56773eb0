//! *Impatient*: a wait is left out.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use jobsworth_core::{Action, Batch, Decision, Outcome, Requeue, Uid};

use crate::decorator::{Decorator, Next};
use crate::wire::{Answer, Call};
use crate::{Notes, Sight};

/// A sync that failed is repeated at once.
pub fn after_a_failure(_: &Sight, decision: &mut Decision) {
    if decision.rest.is_none() && decision.requeue == Requeue::Failed {
        decision.requeue = Requeue::After(SignedDuration::ZERO);
    }
}

/// Does not read how long it is to leave the API server alone.
pub fn when_told_to_wait(_: &Call, answer: &mut Answer) -> Next {
    answer.retry_after = None;
    Next::Take
}

/// Creates all pods at once, however the first creation ends.
#[derive(Debug, Default)]
pub struct WithoutSlowStart {
    split: Notes<BTreeSet<Uid>>,
}

impl Decorator for WithoutSlowStart {
    fn say(&self, sight: &Sight, decision: &mut Decision) {
        let creates = |batch: &Batch| batch.actions.iter().any(|action| matches!(action, Action::CreatePod(_)));
        if decision.batches.len() == 1 && creates(&decision.batches[0]) {
            let alone = |action| Batch::and_go_on(vec![action]);
            decision.batches = decision.batches.remove(0).actions.into_iter().map(alone).collect();
            self.split.open().insert(sight.job.uid.clone());
        }
    }

    fn hear(&self, sight: &Sight, outcomes: &mut Vec<Vec<Outcome>>) {
        if self.split.open().remove(&sight.job.uid) {
            *outcomes = vec![outcomes.drain(..).flatten().collect()];
        }
    }
}
