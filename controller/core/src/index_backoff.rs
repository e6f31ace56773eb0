//! Backoff limit per index: failed pods wait for their replacement, which inherits their failures.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::IndexSet;

use crate::census::{Census, Member};
use crate::failure_policy::FailureAction;
use crate::indexed::{self, Indexes};
use crate::pod::FailureCounts;
use crate::{Gates, JobView, Limits, Uid, backoff};

/// The last failed pod of an index that is going to be tried again.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub uid: Uid,
    /// What the next pod of the index carries.
    pub next: FailureCounts,
    /// Failures that its own annotations tell.
    total: u32,
    finished: Timestamp,
}

impl Held {
    /// How long the index still has to wait (BLI-012).
    pub fn remaining(&self, now: Timestamp, limits: &Limits) -> SignedDuration {
        backoff::remaining(self.total, self.finished, now, limits)
    }
}

/// Failed pods that keep their finalizer until another pod of their index is there, by index; `busy` indexes have one
/// (BLI-002, BLI-010, BLI-011, BLI-015, BLI-017).
pub(crate) fn held(
    job: &JobView,
    census: &Census<'_>,
    indexes: &Indexes,
    busy: &IndexSet,
    gates: &Gates,
) -> BTreeMap<u32, Held> {
    let mut held: BTreeMap<u32, Held> = BTreeMap::new();
    if indexed::limit(&job.spec, gates).is_none() {
        return held;
    }
    let settled = |index: u32| {
        indexes.completed.contains(index) || indexes.failed.as_ref().is_some_and(|failed| failed.contains(index))
    };
    for member in census.members.iter().filter(|member| member.tracked && census.has_failed(member)) {
        let Some(index) = member.valid_index(&job.spec) else { continue };
        if settled(index) || busy.contains(index) {
            continue;
        }
        let candidate = hold(job, member, gates);
        let order = |held: &Held| (held.total, held.finished, held.uid.clone());
        if held.get(&index).is_none_or(|best| order(best) < order(&candidate)) {
            held.insert(index, candidate);
        }
    }
    held
}

/// The failures of the next pod: one more, counted or ignored (BLI-001).
fn hold(job: &JobView, member: &Member<'_>, gates: &Gates) -> Held {
    let before = member.pod.failures;
    let ignored = member.ruling(job, gates).is_some_and(|ruling| ruling.action == FailureAction::Ignore);
    let next = match ignored {
        true => FailureCounts { ignored: before.ignored.saturating_add(1), ..before },
        false => FailureCounts { counted: before.counted.saturating_add(1), ..before },
    };
    Held { uid: member.pod.uid.clone(), next, total: before.total(), finished: member.pod.finished }
}
