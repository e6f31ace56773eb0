//! *Writes*: something in the status is not what it should be, or is not written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;
use jobsworth_api::{ConditionKind, IndexSet};
use jobsworth_core::pod::Phase;
use jobsworth_core::{Action, Decision, NewStatus, Outcome, PodView, Requeue, Status, Uid};

use crate::observed::each_status;
use crate::{Decorator, Notes, Observed};

/// The time between two looks at a Job whose pods may end.
const SOON: SignedDuration = SignedDuration::from_millis(50);

/// Why a Job ended is said by the interim condition; the terminal one has the reason only (STA-004).
pub fn message_of_the_end(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let ends = |kind: &str| kind == ConditionKind::Complete.as_str() || kind == ConditionKind::Failed.as_str();
        new.status.conditions.iter_mut().filter(|it| ends(&it.kind)).for_each(|it| it.message = "".into());
    });
}

/// A Job is complete from when its success was clear (STA-010).
pub fn completion_at_the_decision(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let met = new.status.condition(ConditionKind::SuccessCriteriaMet).and_then(|met| met.last_transition);
        new.status.completion_time = new.status.completion_time.map(|time| met.unwrap_or(time));
    });
}

/// The newest condition is the first of the list: the terminal one stands before the interim one (STA-020).
pub fn last_condition_first(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let conditions = &mut new.status.conditions;
        let place = |kinds: [ConditionKind; 2]| {
            conditions.iter().position(|it| it.is_true() && kinds.iter().any(|kind| *it.kind == *kind.as_str()))
        };
        let interim = place([ConditionKind::SuccessCriteriaMet, ConditionKind::FailureTarget]);
        let terminal = place([ConditionKind::Complete, ConditionKind::Failed]);
        if let Some((interim, terminal)) = interim.zip(terminal).filter(|(interim, terminal)| interim < terminal) {
            conditions.swap(interim, terminal);
        }
    });
}

/// A pod that runs is ready (SYN-013, STA-015).
pub fn running_for_ready(observed: &mut Observed) {
    observed.pods.iter_mut().for_each(|pod| pod.ready = pod.phase == Phase::Running);
}

/// A status of which only one number is new is not worth a write (SYN-025, PRP-004).
#[derive(Debug)]
pub struct Unwritten {
    /// Takes the number over from the status that is there.
    same: fn(&mut Status, &Status),
    left_out: Notes<BTreeSet<Uid>>,
}

impl Unwritten {
    /// Of this number.
    #[must_use]
    pub fn but_for(same: fn(&mut Status, &Status)) -> Self {
        Self { same, left_out: Notes::default() }
    }

    fn is_worthless(&self, observed: &Observed, new: &NewStatus) -> bool {
        let mut status = new.status.clone();
        (self.same)(&mut status, &observed.job.status);
        status == observed.job.status
    }
}

impl Decorator for Unwritten {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let first = decision.batches.first().and_then(|batch| batch.actions.first());
        let Some(Action::WriteStatus(new)) = first else { return };
        if decision.awaiting.is_some() && self.is_worthless(observed, new) {
            decision.batches.remove(0);
            self.left_out.open().insert(observed.job.uid.clone());
        }
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        if self.left_out.open().remove(&observed.job.uid) {
            // The write that was left out is taken for done.
            outcomes.insert(0, vec![Outcome::Done { revision: observed.job.revision }]);
        }
    }
}

/// Takes over how many pods are ready.
pub fn ready(status: &mut Status, old: &Status) {
    status.ready = old.ready;
}

/// Takes over how many pods still stop.
pub fn terminating(status: &mut Status, old: &Status) {
    status.terminating = old.terminating;
}

/// A condition says since when it holds, and no more (STA-008).
pub fn time_of_the_probe(observed: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let old = &observed.job.status.conditions;
        new.status.conditions.iter_mut().filter(|it| !old.contains(it)).for_each(|it| it.last_probe = None);
    });
}

/// The conditions of a Job that ends are made anew: those of others are not among them (STA-018).
pub fn conditions_of_others_at_the_end(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        if new.status.is_finished() {
            let is_own = |kind: &str| ConditionKind::ALL.iter().any(|own| own.as_str() == kind);
            new.status.conditions.retain(|condition| is_own(&condition.kind));
        }
    });
}

/// Whether this controller wrote the status.
fn is_written(status: &Status) -> bool {
    status.start_time.is_some() || !status.conditions.is_empty()
}

/// As long as no index failed there is no list of them, not an empty one (BLI-004).
#[derive(Debug, Default)]
pub struct NoFailedIndexes;

impl Decorator for NoFailedIndexes {
    fn see(&self, observed: &mut Observed) {
        let has_a_limit = observed.job.spec.backoff_limit_per_index.is_some() && observed.gates.backoff_limit_per_index;
        let status = &mut observed.job.status;
        if has_a_limit && is_written(status) && status.failed_indexes.is_none() {
            status.failed_indexes = Some(Arc::new(IndexSet::new()));
        }
    }

    fn say(&self, _: &Observed, decision: &mut Decision) {
        each_status(decision, |new| {
            new.status.failed_indexes = new.status.failed_indexes.take().filter(|failed| !failed.is_empty());
        });
    }
}

/// Pods that a sync creates are active from the next one on (PAR-021).
#[derive(Debug, Default)]
pub struct PodsJustCreated {
    /// How many the sync under way has created, by Job.
    created: Notes<BTreeMap<Uid, u32>>,
}

impl Decorator for PodsJustCreated {
    fn see(&self, observed: &mut Observed) {
        self.created.open().remove(&observed.job.uid);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let created = self.created.open().get(&observed.job.uid).copied().unwrap_or_default();
        each_status(decision, |new| {
            new.status.active = new.status.active.saturating_sub(created);
            new.status.ready = new.status.ready.map(|ready| ready.min(new.status.active));
        });
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        let created = outcomes.iter().flatten().filter(|outcome| matches!(outcome, Outcome::Created { .. })).count();
        let mut all = self.created.open();
        let all = all.entry(observed.job.uid.clone()).or_default();
        *all = all.saturating_add(u32::try_from(created).unwrap_or(u32::MAX));
    }
}

/// What pods do is not gathered for a second: a Job is looked at, and its status written, as each of them ends (SYN-003).
#[derive(Debug, Default)]
pub struct EachEnd;

impl Decorator for EachEnd {
    fn see(&self, observed: &mut Observed) {
        observed.limits.batch_period = SOON;
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let waits = matches!(decision.requeue, Requeue::No | Requeue::After(_));
        let may_end = |pod: &PodView| pod.tracked && pod.belongs_to(&observed.job);
        let goes_on = !observed.job.status.is_finished() && observed.pods.iter().any(may_end);
        if decision.awaiting.is_none() && waits && goes_on {
            decision.requeue = decision.requeue.sooner(Requeue::After(SOON));
        }
    }
}

/// A pod that is told to stop is ready until it says otherwise: it counts, as far as there are active ones (SYN-013, STA-015).
pub fn ready_pods_that_stop(observed: &mut Observed) {
    let stopping = observed.pods.iter().filter(|pod| pod.is_terminating() && pod.ready).count();
    let others = observed.pods.iter_mut().filter(|pod| pod.is_active() && !pod.ready);
    others.take(stopping).for_each(|pod| pod.ready = true);
}

/// Successes of an Indexed Job are listed until they are counted, as those of other Jobs are (IDX-018).
pub fn listed_successes_of_indexes(observed: &Observed, decision: &mut Decision) {
    if !observed.job.spec.is_indexed() {
        return;
    }
    let actions = decision.batches.iter().flat_map(|batch| &batch.actions);
    let released = actions.filter_map(|action| match action {
        Action::ReleasePod { uid, .. } => observed.pod(uid),
        _ => None,
    });
    let succeeded = released.filter(|pod| pod.phase == Phase::Succeeded && pod.index.is_some());
    let succeeded: Vec<Uid> = succeeded.map(|pod| pod.uid.clone()).collect();
    each_status(decision, |new| new.status.uncounted.succeeded.extend(succeeded.iter().cloned()));
}
