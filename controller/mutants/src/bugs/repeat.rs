//! *Repeat*: something is done once more than it should be.

use jobsworth_core::{Action, Batch, Decision, NewStatus};

use crate::decorator::{Fate, Next};
use crate::sight::each_status;
use crate::wire::{Answer, Call};
use crate::{Decorator, Sight};

/// Every write of the status makes its conditions new.
pub fn transitions(sight: &Sight, decision: &mut Decision) {
    each_status(decision, |new| {
        new.status.conditions.iter_mut().for_each(|condition| condition.last_transition = Some(sight.now));
    });
}

/// A sync that has nothing to write writes what is there.
pub fn unchanged_status(sight: &Sight, decision: &mut Decision) {
    if decision.batches.is_empty() && decision.rest.is_none() && !sight.job.status.is_finished() {
        let (status, based_on) = (sight.job.status.clone(), sight.job.revision);
        let write = NewStatus { status, based_on, notices: Vec::new(), samples: Vec::new() };
        decision.batches.push(Batch::and_go_on(vec![Action::WriteStatus(Box::new(write))]));
    }
}

/// Creations without a certain answer are sent again, under another name.
#[derive(Debug, Default)]
pub struct AmbiguousCreations;

impl Decorator for AmbiguousCreations {
    fn ask(&self, call: &mut Call) -> Fate {
        if call.creates_a_pod()
            && let Some(metadata) = call.body["metadata"].as_object_mut()
        {
            metadata.remove("name");
        }
        Fate::Send
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if call.creates_a_pod() && answer.code >= 500 { Next::Again } else { Next::Take }
    }
}
