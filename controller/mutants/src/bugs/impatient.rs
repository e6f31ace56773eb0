//! *Impatient*: a wait is left out.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use jobsworth_core::{Action, Batch, Decision, Outcome, Requeue, Uid};

use crate::call::{Answer, Call};
use crate::decorator::{Decorator, Next};
use crate::{Notes, Observed};

/// A sync that failed is repeated at once. That creations are to wait is taken for what was remembered of another spec.
#[derive(Debug, Default)]
pub struct AfterAFailure {
    looks: Notes<i64>,
}

impl Decorator for AfterAFailure {
    fn see(&self, observed: &mut Observed) {
        let mut looks = self.looks.open();
        *looks = looks.saturating_add(1);
        observed.job.generation = observed.job.generation.saturating_add(*looks);
    }

    fn say(&self, _: &Observed, decision: &mut Decision) {
        if decision.awaiting.is_none() && matches!(decision.requeue, Requeue::Failed | Requeue::Refused(_)) {
            decision.requeue = Requeue::After(SignedDuration::ZERO);
        }
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
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let creates = |batch: &Batch| batch.actions.iter().any(|action| matches!(action, Action::CreatePod(_)));
        if decision.batches.len() == 1 && creates(&decision.batches[0]) {
            let alone = |action| Batch::and_go_on(vec![action]);
            decision.batches = decision.batches.remove(0).actions.into_iter().map(alone).collect();
            self.split.open().insert(observed.job.uid.clone());
        }
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        if self.split.open().remove(&observed.job.uid) {
            *outcomes = vec![outcomes.drain(..).flatten().collect()];
        }
    }
}
