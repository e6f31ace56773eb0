//! *Reorder*: the right actions, in the wrong order or on the wrong one of two.

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_api::ConditionKind;
use jobsworth_api::condition::reason;
use jobsworth_core::{Action, Decision, Memory, NewStatus, Outcome, Uid, Why};

use crate::{Decorator, Notes, Observed};

/// Takes finalizers off before the ledger is written.
#[derive(Debug, Default)]
pub struct ReleaseBeforeLedger {
    swapped: Notes<BTreeSet<Uid>>,
}

impl Decorator for ReleaseBeforeLedger {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let writes_first = |actions: &[Action]| matches!(actions.first(), Some(Action::WriteStatus(_)));
        if decision.batches.len() == 2 && writes_first(&decision.batches[0].actions) {
            decision.batches.swap(0, 1);
            self.swapped.open().insert(observed.job.uid.clone());
        }
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        if self.swapped.open().remove(&observed.job.uid) {
            outcomes.swap(0, 1);
        }
    }
}

/// Deletes pods that are not wanted without first taking the finalizer off, so that they count as failed.
#[derive(Debug)]
pub struct DeleteBeforeRelease {
    why: Why,
    deleted: Notes<BTreeSet<Uid>>,
}

impl DeleteBeforeRelease {
    /// Of pods that are removed for this reason.
    #[must_use]
    pub fn of(why: Why) -> Self {
        Self { why, deleted: Notes::default() }
    }
}

impl Decorator for DeleteBeforeRelease {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let mut deleted = self.deleted.open();
        for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
            if let Action::StripAndDelete { uid, name, why, .. } = action
                && *why == self.why
            {
                *action = Action::DeletePod { uid: uid.clone(), name: name.clone() };
                deleted.insert(observed.job.uid.clone());
            }
        }
        // Nothing was released: nothing to remember of it.
        if decision.awaiting.is_none() && deleted.remove(&observed.job.uid) {
            decision.memory = Memory::default();
        }
    }
}

/// Of two pods with one index, removes the one that was first.
#[derive(Debug, Default)]
pub struct OlderOfTwo {
    removed: Notes<BTreeSet<Uid>>,
}

impl Decorator for OlderOfTwo {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let mut removed = self.removed.open();
        for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
            let Action::StripAndDelete { uid, name, why: Why::Duplicate, .. } = action else { continue };
            let index = observed.pod(uid).and_then(|pod| pod.index);
            let twin = observed.pods.iter().find(|pod| pod.uid != *uid && pod.index == index && pod.is_active());
            if let Some(twin) = twin {
                (*uid, *name) = (twin.uid.clone(), twin.name.clone());
                removed.insert(observed.job.uid.clone());
            }
        }
        if decision.awaiting.is_none() && removed.remove(&observed.job.uid) {
            decision.memory = Memory::default();
        }
    }
}

/// Says that the success policy is met only with the write after the releases (SUC-007). Who completed which index is
/// written before them, as it should be.
#[derive(Debug, Default)]
pub struct ReleaseBeforeAnnouncement {
    /// Syncs whose first status lacks the condition, and whether nothing else was to be written.
    held_back: Notes<BTreeMap<Uid, bool>>,
}

impl ReleaseBeforeAnnouncement {
    fn announces(observed: &Observed, new: &NewStatus) -> bool {
        let met = new.status.condition(ConditionKind::SuccessCriteriaMet);
        let by_policy = met.is_some_and(|met| met.is_true() && &*met.reason == reason::SUCCESS_POLICY);
        by_policy && !observed.job.status.holds(ConditionKind::SuccessCriteriaMet)
    }
}

impl Decorator for ReleaseBeforeAnnouncement {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let mut held_back = self.held_back.open();
        if held_back.remove(&observed.job.uid).is_some() {
            return;
        }
        let first = decision.batches.first_mut().and_then(|batch| batch.actions.first_mut());
        let Some(Action::WriteStatus(new)) = first else { return };
        if !Self::announces(observed, new) {
            return;
        }
        new.status.conditions.retain(|condition| &*condition.kind != ConditionKind::SuccessCriteriaMet.as_str());
        let nothing_else = new.status == observed.job.status;
        if nothing_else {
            decision.batches.remove(0);
        }
        held_back.insert(observed.job.uid.clone(), nothing_else);
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        if self.held_back.open().get(&observed.job.uid) == Some(&true) {
            // The write that was left out is taken for done.
            outcomes.insert(0, vec![Outcome::Done { revision: observed.job.revision }]);
        }
    }
}
