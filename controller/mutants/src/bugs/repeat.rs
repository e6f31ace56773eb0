//! *Repeat*: something is done once more than it should be.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use jobsworth_core::{Condition, Decision, Outcome, Requeue, Uid};

use crate::call::{Answer, Call};
use crate::decorator::{Fate, Next};
use crate::sight::each_status;
use crate::{Decorator, Notes, Sight};

/// After this time a Job is looked at again although nothing happened.
const RESYNC: SignedDuration = SignedDuration::from_secs(3);

/// Every write of the status makes its conditions new.
pub fn transitions(sight: &Sight, decision: &mut Decision) {
    each_status(decision, |new| {
        new.status.conditions.iter_mut().for_each(|condition| condition.last_transition = Some(sight.now));
    });
}

/// A sync that has nothing to write writes what is there.
pub fn unchanged_status(sight: &Sight, decision: &mut Decision) {
    if decision.batches.is_empty() && decision.rest.is_none() && !sight.job.status.is_finished() {
        decision.batches.push(sight.write(sight.job.status.clone()));
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

/// A finished Job that somebody changes ends once more: its terminal condition holds from now on (STA-019).
#[derive(Debug, Default)]
pub struct Ends {
    known: Notes<BTreeMap<Uid, Known>>,
}

/// The newest version of a Job that is no news.
#[derive(Clone, Copy, Debug)]
struct Known {
    revision: u64,
    /// An end was written since, so the next version is no news either.
    written: bool,
}

impl Ends {
    /// Whether another than this controller changed the Job since it ended.
    fn is_news(&self, sight: &Sight) -> bool {
        let revision = sight.job.revision;
        let mut known = self.known.open();
        let last = known.entry(sight.job.uid.clone()).or_insert(Known { revision, written: false });
        if last.revision >= revision {
            return false;
        }
        let echo = last.written;
        *last = Known { revision, written: !echo };
        !echo
    }
}

impl Decorator for Ends {
    fn say(&self, sight: &Sight, decision: &mut Decision) {
        if !sight.job.status.is_finished() || sight.job.deleting || !self.is_news(sight) {
            return;
        }
        let ends = |condition: &Condition| condition.is_true() && matches!(&*condition.kind, "Complete" | "Failed");
        let mut status = sight.job.status.clone();
        for condition in status.conditions.iter_mut().filter(|condition| ends(condition)) {
            condition.last_transition = Some(sight.now);
        }
        decision.batches.push(sight.write(status));
    }

    fn hear(&self, sight: &Sight, outcomes: &mut Vec<Vec<Outcome>>) {
        let written = outcomes.iter().flatten().filter_map(|outcome| match outcome {
            Outcome::Done { revision } => Some(*revision),
            _ => None,
        });
        // The last that a sync hears of when a Job ends is the version with the end.
        if let Some(revision) = written.max() {
            self.known.open().insert(sight.job.uid.clone(), Known { revision, written: false });
        }
    }
}

/// An idle Job is looked at again every few seconds, and its status is written each time as it is (SYN-025).
#[derive(Debug, Default)]
pub struct Resyncs {
    looked: Notes<BTreeMap<Uid, Timestamp>>,
}

impl Decorator for Resyncs {
    fn say(&self, sight: &Sight, decision: &mut Decision) {
        let last = self.looked.open().insert(sight.job.uid.clone(), sight.now);
        if decision.rest.is_some() || sight.job.status.is_finished() || sight.job.unreadable.is_some() {
            return;
        }
        if last.is_some_and(|last| sight.now.duration_since(last) >= RESYNC) {
            unchanged_status(sight, decision);
        }
        decision.requeue = decision.requeue.sooner(Requeue::After(RESYNC));
    }
}
