//! *Repeat*: something is done once more than it should be.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use jobsworth_core::{Condition, Decision, Outcome, Requeue, Uid};

use crate::call::{Answer, Call};
use crate::decorator::{Fate, Next};
use crate::observed::each_status;
use crate::{Decorator, Notes, Observed};

/// After this time a Job is looked at again although nothing happened.
const RESYNC: SignedDuration = SignedDuration::from_secs(3);

/// Every write of the status makes its conditions new.
pub fn transitions(observed: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        new.status.conditions.iter_mut().for_each(|condition| condition.last_transition = Some(observed.now));
    });
}

/// A sync that has nothing to write writes what is there.
pub fn unchanged_status(observed: &Observed, decision: &mut Decision) {
    if decision.batches.is_empty() && decision.awaiting.is_none() && !observed.job.status.is_finished() {
        decision.batches.push(observed.write(observed.job.status.clone()));
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
    fn is_news(&self, observed: &Observed) -> bool {
        let revision = observed.job.revision;
        let mut known = self.known.open();
        let last = known.entry(observed.job.uid.clone()).or_insert(Known { revision, written: false });
        if last.revision >= revision {
            return false;
        }
        let echo = last.written;
        *last = Known { revision, written: !echo };
        !echo
    }
}

impl Decorator for Ends {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if !observed.job.status.is_finished() || observed.job.deleting || !self.is_news(observed) {
            return;
        }
        let ends = |condition: &Condition| condition.is_true() && matches!(&*condition.kind, "Complete" | "Failed");
        let mut status = observed.job.status.clone();
        for condition in status.conditions.iter_mut().filter(|condition| ends(condition)) {
            condition.last_transition = Some(observed.now);
        }
        decision.batches.push(observed.write(status));
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        let written = outcomes.iter().flatten().filter_map(|outcome| match outcome {
            Outcome::Done { revision } => Some(*revision),
            _ => None,
        });
        // The last that a sync hears of when a Job ends is the version with the end.
        if let Some(revision) = written.max() {
            self.known.open().insert(observed.job.uid.clone(), Known { revision, written: false });
        }
    }
}

/// An idle Job is looked at again every few seconds, and its status is written each time as it is (SYN-025).
#[derive(Debug, Default)]
pub struct Resyncs {
    looked: Notes<BTreeMap<Uid, Timestamp>>,
}

impl Decorator for Resyncs {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let last = self.looked.open().insert(observed.job.uid.clone(), observed.now);
        if decision.awaiting.is_some() || observed.job.status.is_finished() || observed.job.unreadable.is_some() {
            return;
        }
        if last.is_some_and(|last| observed.now.duration_since(last) >= RESYNC) {
            unchanged_status(observed, decision);
        }
        decision.requeue = decision.requeue.sooner(Requeue::After(RESYNC));
    }
}
