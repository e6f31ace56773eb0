//! *Forget*: what was known is lost at some point.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jobsworth_api::IndexSet;
use jobsworth_core::lifecycle::Verdict;
use jobsworth_core::pod::Phase;
use jobsworth_core::{Action, Decision, Memory, Outcome, Uid};

use crate::observed::each_status;
use crate::{Decorator, Notes, Observed};

/// Acts on its cache right after writing.
#[derive(Debug, Default)]
pub struct OwnWrites;

impl Decorator for OwnWrites {
    fn see(&self, observed: &mut Observed) {
        observed.memory = Memory::default();
    }
}

/// Forgets which pods it has released once they are counted.
#[derive(Debug, Default)]
pub struct ReleasedPods;

impl Decorator for ReleasedPods {
    fn see(&self, observed: &mut Observed) {
        let status = &observed.job.status;
        if status.uncounted.is_empty() && status.succeeded + status.failed > 0 {
            observed.memory = Memory::default();
        }
    }
}

/// Expectations by name: those of a deleted Job hold its namesake back.
#[derive(Debug, Default)]
pub struct WhoseExpectations {
    expected: Notes<BTreeMap<String, BTreeSet<Uid>>>,
}

impl Decorator for WhoseExpectations {
    fn see(&self, observed: &mut Observed) {
        if let Some(expected) = self.expected.open().get_mut(&observed.name()) {
            observed.pods.iter().for_each(|pod| {
                expected.remove(&pod.uid);
            });
        }
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if self.expected.open().get(&observed.name()).is_some_and(|expected| !expected.is_empty()) {
            for batch in &mut decision.batches {
                batch.actions.retain(|action| !matches!(action, Action::CreatePod(_)));
            }
        }
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        let mut expected = self.expected.open();
        for outcome in outcomes.iter().flatten() {
            if let Outcome::Created { uid, .. } = outcome {
                expected.entry(observed.name()).or_default().insert(uid.clone());
            }
        }
    }
}

/// After a start, completed indexes are those that it has written itself.
#[derive(Debug, Default)]
pub struct CompletedIndexes {
    written: Notes<BTreeMap<Uid, IndexSet>>,
}

impl Decorator for CompletedIndexes {
    fn see(&self, observed: &mut Observed) {
        let written = self.written.open().get(&observed.job.uid).cloned().unwrap_or_default();
        let status = &mut observed.job.status;
        status.completed = Arc::new(status.completed.intersection(&written));
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        each_status(decision, |new| {
            self.written.open().insert(observed.job.uid.clone(), IndexSet::clone(&new.status.completed));
        });
    }
}

/// A pod counts as failed only if it was seen before it failed.
#[derive(Debug, Default)]
pub struct UnseenFailures {
    met: Notes<BTreeSet<Uid>>,
}

impl Decorator for UnseenFailures {
    fn see(&self, observed: &mut Observed) {
        let mut met = self.met.open();
        met.extend(observed.pods.iter().filter(|pod| pod.phase != Phase::Failed).map(|pod| pod.uid.clone()));
        observed.pods.retain(|pod| met.contains(&pod.uid));
    }
}

/// That it told of an end, once it starts anew: it tells again of every Job that it finds finished (STA-019).
#[derive(Debug, Default)]
pub struct ToldEnds {
    told: Notes<BTreeSet<Uid>>,
}

impl Decorator for ToldEnds {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let mut told = self.told.open();
        each_status(decision, |new| {
            if new.status.is_finished() {
                told.insert(observed.job.uid.clone());
            }
        });
        if observed.job.status.is_finished() && told.insert(observed.job.uid.clone()) {
            let end = Verdict::announced_in(&observed.job.status);
            decision.notices.extend(end.map(|verdict| verdict.notice()));
        }
    }
}

/// What was remembered of a Job goes as soon as its end is written: a cache that is behind then shows a Job that goes on, and whose
/// pods were never counted (SYN-020).
#[derive(Debug, Default)]
pub struct EndedJobs {
    /// Jobs whose end the sync under way writes.
    ending: Notes<BTreeSet<Uid>>,
    ended: Notes<BTreeSet<Uid>>,
}

impl Decorator for EndedJobs {
    fn see(&self, observed: &mut Observed) {
        if self.ended.open().remove(&observed.job.uid) {
            observed.memory = Memory::default();
        }
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let mut ending = self.ending.open();
        each_status(decision, |new| {
            if new.status.is_finished() {
                ending.insert(observed.job.uid.clone());
            }
        });
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        let is_written = outcomes.iter().flatten().any(|outcome| matches!(outcome, Outcome::Done { .. }));
        if self.ending.open().remove(&observed.job.uid) && is_written {
            self.ended.open().insert(observed.job.uid.clone());
        }
    }
}
