//! *Pauses*: suspension, resumption and the deadline do not go together.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jobsworth_api::ConditionKind;
use jobsworth_core::{Action, Condition, Decision, Outcome, PodView, Uid, Why};

use crate::observed::each_status;
use crate::withheld::Withheld;
use crate::{Decorator, Notes, Observed};

/// The deadline is read when the Job starts, and its timer runs to the end (DLN-003).
#[derive(Debug, Default)]
pub struct FirstDeadline {
    known: Notes<BTreeMap<Uid, Option<i64>>>,
}

impl Decorator for FirstDeadline {
    fn see(&self, observed: &mut Observed) {
        if observed.job.status.start_time.is_some() {
            let deadline = observed.job.spec.deadline_s;
            let first = *self.known.open().entry(observed.job.uid.clone()).or_insert(deadline);
            observed.spec().deadline_s = first;
        }
    }
}

/// A Job that is suspended keeps its start time until it is resumed, as it did before there was a gate for it (SUS-009).
pub fn start_of_a_suspended_job(observed: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        if observed.job.spec.suspend && new.status.holds(ConditionKind::Suspended) && new.status.start_time.is_none() {
            new.status.start_time = observed.job.status.start_time;
        }
    });
}

/// The time that a Job may take is counted from when it started first: its pauses belong to it (DLN-004).
#[derive(Debug, Default)]
pub struct FirstStart {
    known: Notes<BTreeMap<Uid, Timestamp>>,
}

impl Decorator for FirstStart {
    fn see(&self, observed: &mut Observed) {
        let Some(start) = observed.job.status.start_time else { return };
        let first = *self.known.open().entry(observed.job.uid.clone()).or_insert(start);
        let before = start.duration_since(first).as_secs();
        let spec = observed.spec();
        spec.deadline_s = spec.deadline_s.map(|seconds| seconds.saturating_sub(before));
    }
}

/// Changes the condition of a Job that is resumed, given that of its suspension.
fn each_resumption(observed: &Observed, decision: &mut Decision, change: impl Fn(&Condition, &mut Condition)) {
    let Some(old) = observed.job.status.condition(ConditionKind::Suspended).filter(|old| old.is_true()) else { return };
    each_status(decision, |new| {
        let conditions = new.status.conditions.iter_mut();
        conditions.filter(|new| new.kind == old.kind && !new.is_true()).for_each(|new| change(old, new));
    });
}

/// Only the status of the condition is changed by a resumption, not its reason and message (SUS-003).
pub fn words_of_a_resumption(observed: &Observed, decision: &mut Decision) {
    each_resumption(observed, decision, |old, new| {
        (new.reason, new.message) = (old.reason.clone(), old.message.clone());
    });
}

/// The condition of a resumed Job has the time of the suspension (STA-008, SUS-003).
pub fn time_of_a_resumption(observed: &Observed, decision: &mut Decision) {
    each_resumption(observed, decision, |old, new| new.last_transition = old.last_transition);
}

/// A Job without pods is not active, so no deadline is enforced (DLN-001, DLN-007).
pub fn deadline_without_pods(observed: &mut Observed) {
    if observed.pods.is_empty() {
        observed.spec().deadline_s = None;
    }
}

/// Of a Job that is suspended completions are not looked at, though it has none to reach (PAR-020).
pub fn nothing_to_do_while_suspended(observed: &mut Observed) {
    if observed.job.spec.suspend && observed.job.spec.completions == Some(0) {
        observed.spec().completions = Some(1);
    }
}

/// A suspension stops as many pods in one sync as a smaller parallelism does, and not all that there are (PAR-009, SUS-002).
#[derive(Debug, Default)]
pub struct ManyPodsAtOnce {
    withheld: Withheld,
}

impl Decorator for ManyPodsAtOnce {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let stopped = decision.batches.iter().flat_map(|batch| &batch.actions).filter_map(stopped_by_a_suspension);
        let later: BTreeSet<Uid> = stopped.skip(observed.limits.pods_per_sync).cloned().collect();
        self.withheld.leave_out(observed, decision, |action| {
            stopped_by_a_suspension(action).is_some_and(|uid| later.contains(uid))
        });
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        self.withheld.put_back(observed, outcomes);
    }
}

fn stopped_by_a_suspension(action: &Action) -> Option<&Uid> {
    match action {
        Action::StripAndDelete { uid, why: Why::Suspended, .. } => Some(uid),
        _ => None,
    }
}

/// A Job is resumed once its last pod has stopped, not before (SUS-003, SUS-004).
pub fn resumption_beside_stopping_pods(observed: &mut Observed) {
    let resumes = !observed.job.spec.suspend && observed.job.status.holds(ConditionKind::Suspended);
    if resumes && observed.pods.iter().any(PodView::is_terminating) {
        observed.spec().suspend = true;
    }
}

/// A Job starts when it is first looked at, suspended or not (SUS-001).
pub fn start_of_a_job_created_suspended(observed: &Observed, decision: &mut Decision) {
    if !observed.job.spec.suspend || !observed.job.status.conditions.is_empty() {
        return;
    }
    each_status(decision, |new| {
        if new.status.start_time.is_none() {
            new.status.start_time = Timestamp::from_second(observed.now.as_second()).ok();
        }
    });
}

/// Takes a deadline of 0 for none (DLN-007).
pub fn deadline_of_zero(observed: &mut Observed) {
    let deadline = observed.job.spec.deadline_s;
    observed.spec().deadline_s = deadline.filter(|seconds| *seconds > 0);
}
