//! *Delays*: the wait after a failure has the wrong length, or counts from the wrong time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use jobsworth_core::failure_policy::FailureAction;
use jobsworth_core::pod::Phase;
use jobsworth_core::{Action, Decision, Outcome, PodView, Requeue, Uid};

use crate::withheld::Withheld;
use crate::{Decorator, Notes, Observed};

/// How old a Job is when it has settled.
const UNTIL_SETTLED: SignedDuration = SignedDuration::from_secs(7);

/// A delay of 10 s is 13: jitter that only ever adds (BKO-006).
pub fn a_third_more(observed: &mut Observed) {
    observed.limits.backoff_base = observed.limits.backoff_base * 13 / 10;
}

/// An index waits for 8 s at first, not for 10 (BLI-012).
pub fn a_fifth_less_for_indexes(observed: &mut Observed) {
    if observed.job.spec.backoff_limit_per_index.is_some() {
        observed.limits.backoff_base = observed.limits.backoff_base * 4 / 5;
    }
}

/// The delay doubles once, and no further (BKO-006).
pub fn at_most_twice_the_first(observed: &mut Observed) {
    observed.limits.backoff_cap = observed.limits.backoff_base * 2;
}

/// Failures of a Job without a limit per index, as those who wait for all of them do.
fn failures_that_count(observed: &mut Observed) -> impl Iterator<Item = &mut PodView> {
    let together = observed.job.spec.backoff_limit_per_index.is_none();
    observed.pods.iter_mut().filter(move |pod| together && pod.phase == Phase::Failed && pod.tracked)
}

/// A success leaves the number of failures in a row as it is (BKO-008).
#[derive(Debug, Default)]
pub struct Successes {
    failures: Notes<BTreeMap<Uid, Failures>>,
    withheld: Withheld,
}

/// All failures of a Job since the controller started, or of all Jobs of one name.
#[derive(Debug, Default)]
struct Failures {
    pods: BTreeSet<Uid>,
    last: Option<Timestamp>,
}

impl Failures {
    fn add(&mut self, pod: &PodView) {
        self.pods.insert(pod.uid.clone());
        self.last = self.last.max(Some(pod.finished));
    }

    /// What is left of the delay after them.
    fn left(&self, observed: &Observed) -> Option<SignedDuration> {
        let doublings = u32::try_from(self.pods.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let (base, cap) = (observed.limits.backoff_base, observed.limits.backoff_cap);
        let delay = base.checked_mul(2_i32.checked_pow(doublings).unwrap_or(i32::MAX)).map_or(cap, |it| it.min(cap));
        let left = delay.saturating_sub(observed.now.duration_since(self.last?));
        (left > SignedDuration::ZERO && !observed.job.status.is_finished()).then_some(left)
    }
}

impl Decorator for Successes {
    fn see(&self, observed: &mut Observed) {
        let mut all = self.failures.open();
        let failures = all.entry(observed.job.uid.clone()).or_default();
        failures_that_count(observed).for_each(|pod| failures.add(pod));
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let left = self.failures.open().get(&observed.job.uid).and_then(|failures| failures.left(observed));
        hold_back(&self.withheld, left, observed, decision);
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        self.withheld.put_back(observed, outcomes);
    }
}

/// A success that is seen together with failures wipes them all, those after it included (BKO-008).
pub fn failures_after_a_success(observed: &mut Observed) {
    let last = observed.just_ended(Phase::Succeeded).map(|pod| pod.finished).max();
    if let Some(last) = last {
        failures_that_count(observed).for_each(|pod| pod.finished = pod.finished.min(last));
    }
}

/// Of several failures that are seen together the first one counts (BKO-006, BKO-011).
pub fn the_last_of_several_failures(observed: &mut Observed) {
    let first = observed.just_ended(Phase::Failed).map(|pod| pod.finished).min();
    if let Some(first) = first {
        failures_that_count(observed).for_each(|pod| pod.finished = first);
    }
}

/// Failures that are seen together are one failure more, not as many as they are (BKO-011).
#[derive(Debug, Default)]
pub struct FailuresAtOnce {
    /// Pods that ended, and how many failures of them were left out since the last success, by Job.
    seen: Notes<BTreeMap<Uid, (BTreeSet<Uid>, u32)>>,
}

impl Decorator for FailuresAtOnce {
    fn see(&self, observed: &mut Observed) {
        let mut all = self.seen.open();
        let (seen, left_out) = all.entry(observed.job.uid.clone()).or_default();
        let mut news = |phase| observed.just_ended(phase).filter(|pod| seen.insert(pod.uid.clone())).count();
        let (succeeded, failed) = (news(Phase::Succeeded), news(Phase::Failed));
        if succeeded > 0 {
            *left_out = 0;
        }
        *left_out = left_out.saturating_add(u32::try_from(failed).unwrap_or(0).saturating_sub(1)).min(16);
        if observed.job.spec.backoff_limit_per_index.is_none() {
            observed.limits.backoff_base /= 1 << *left_out;
        }
    }
}

/// There is one time of the last failure, not one for each index (BLI-012).
pub fn one_time_for_all_indexes(observed: &mut Observed) {
    if observed.job.spec.backoff_limit_per_index.is_none() {
        return;
    }
    let failed = |pod: &PodView| pod.phase == Phase::Failed && pod.tracked;
    let last = observed.pods.iter().filter(|pod| failed(pod)).map(|pod| pod.finished).max();
    if let Some(last) = last {
        observed.pods.iter_mut().filter(|pod| failed(pod)).for_each(|pod| pod.finished = last);
    }
}

/// A failure that the failure policy ignores holds nothing back (BKO-007, PFP-009).
pub fn ignored_failures(observed: &mut Observed) {
    let Some(policy) = observed.job.spec.failure_policy.clone() else { return };
    let (job, gates) = (observed.job.clone(), observed.gates);
    let is_ignored =
        |pod: &PodView| policy.ruling(&job, pod, &gates).is_some_and(|ruling| ruling.action == FailureAction::Ignore);
    failures_that_count(observed).filter(|pod| is_ignored(pod)).for_each(|pod| pod.finished = Timestamp::UNIX_EPOCH);
}

/// A new Job has no pods until it has settled, as whoever created it may change it once more (SYN-002).
pub fn new_jobs(observed: &Observed, decision: &mut Decision) {
    let left = UNTIL_SETTLED.saturating_sub(observed.now.duration_since(observed.job.created));
    let mut actions = decision.batches.iter().flat_map(|batch| &batch.actions);
    let creates = actions.any(|action| matches!(action, Action::CreatePod(_)));
    if creates && observed.pods.is_empty() && left > SignedDuration::ZERO {
        decision.batches.clear();
        (decision.awaiting, decision.requeue) = (None, Requeue::After(left));
    }
}

/// Makes no pods for what is left of a delay.
fn hold_back(withheld: &Withheld, left: Option<SignedDuration>, observed: &Observed, decision: &mut Decision) {
    let Some(left) = left else { return };
    withheld.leave_out(observed, decision, |action| matches!(action, Action::CreatePod(_)));
    if decision.awaiting.is_none() {
        decision.requeue = decision.requeue.sooner(Requeue::After(left));
    }
}

/// Failures are remembered under the name of the Job and stay when it goes: its namesake waits for them, too (SYN-017, SYN-018).
#[derive(Debug, Default)]
pub struct Namesakes {
    /// Jobs that had failures, and these, by name.
    known: Notes<BTreeMap<String, (BTreeSet<Uid>, Failures)>>,
    withheld: Withheld,
}

impl Decorator for Namesakes {
    fn see(&self, observed: &mut Observed) {
        let (name, job) = (observed.name(), observed.job.uid.clone());
        let mut all = self.known.open();
        let (jobs, failures) = all.entry(name).or_default();
        if observed.just_ended(Phase::Succeeded).next().is_some() {
            (*jobs, *failures) = (BTreeSet::new(), Failures::default());
        }
        for pod in failures_that_count(observed) {
            jobs.insert(job.clone());
            failures.add(pod);
        }
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let all = self.known.open();
        let inherited = all.get(&observed.name()).filter(|(jobs, _)| jobs.iter().any(|job| *job != observed.job.uid));
        let left = inherited.and_then(|(_, failures)| failures.left(observed));
        hold_back(&self.withheld, left, observed, decision);
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        self.withheld.put_back(observed, outcomes);
    }
}
