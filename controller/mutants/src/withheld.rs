//! Calls that are left out of a decision, and what is said of them afterwards.

use std::collections::BTreeMap;

use jobsworth_core::{Action, Decision, Outcome, Uid};

use crate::{Notes, Observed};

/// Calls that the sync under way does not make, by Job: batch and place in it.
#[derive(Debug, Default)]
pub(crate) struct Withheld(Notes<BTreeMap<Uid, Vec<(usize, usize)>>>);

impl Withheld {
    /// Leaves out what is not to be done.
    pub(crate) fn leave_out(&self, observed: &Observed, decision: &mut Decision, is_out: impl Fn(&Action) -> bool) {
        let mut places = Vec::new();
        for (batch, actions) in decision.batches.iter_mut().map(|batch| &mut batch.actions).enumerate() {
            let out = actions.iter().enumerate().filter(|(_, action)| is_out(action));
            places.extend(out.map(|(at, _)| (batch, at)));
            actions.retain(|action| !is_out(action));
        }
        self.0.open().insert(observed.job.uid.clone(), places);
    }

    /// Says of each that it was not made.
    pub(crate) fn put_back(&self, observed: &Observed, outcomes: &mut [Vec<Outcome>]) {
        for (batch, at) in self.0.open().remove(&observed.job.uid).unwrap_or_default() {
            if let Some(outcomes) = outcomes.get_mut(batch).filter(|outcomes| outcomes.len() >= at) {
                outcomes.insert(at, Outcome::Skipped);
            }
        }
    }
}
