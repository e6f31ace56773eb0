//! What one sync comes to: news of pods, and the status that is to be written.

use super::{
    super::objects::{Condition, FailureRule, Job, Phase, Pod, PodId, Status},
    BackOff, Look, Memory, verdict,
};
use std::collections::BTreeSet;

pub struct Plan {
    /// The status that is stored, as far as it is known, and its version.
    pub stored: Status,
    pub from: u64,
    /// The one that is to be.
    pub status: Status,
    /// Pods that have ended and are not counted yet (IDX-017, FIN-003).
    pub successes: Vec<PodId>,
    pub failures: Vec<PodId>,
    /// Failures that count, a policy permitting (PFP-009).
    pub counted: usize,
    /// Indexes that are completed and failed, this look included.
    pub completed: BTreeSet<u32>,
    pub failed_indexes: BTreeSet<u32>,
    pub back_off: BackOff,
    /// Live pods: those that were there and are not told to stop, and those that were created.
    pub active: BTreeSet<PodId>,
    pub created: usize,
    /// Told to stop in this sync.
    pub stopped: BTreeSet<PodId>,
}

impl Plan {
    pub fn of(look: &Look, memory: &Memory, told_to_stop: &BTreeSet<PodId>) -> Self {
        let mut status = look.job.status.clone();
        flush(look, &mut status);
        // Neither a pod that is counted already nor one without a place; nor one that a decision has stopped (SUC-008), which it has
        // not where the deletion was refused.
        let counts = |id: &PodId, pod: &Pod| {
            pod.tracked
                && !status.is_uncounted(*id)
                && !memory.released.contains(id)
                && look.has_place(pod)
                && !(pod.stop.is_some() && told_to_stop.contains(id))
        };
        let news: Vec<&(PodId, _)> = look.pods.iter().filter(|(id, pod)| counts(id, pod)).collect();
        let successes: Vec<PodId> =
            news.iter().filter(|(_, pod)| pod.phase == Phase::Succeeded).map(|(id, _)| *id).collect();
        let only_failed = look.job.only_failed();
        let failures: Vec<PodId> =
            news.iter().filter(|(_, pod)| pod.has_failed(only_failed)).map(|(id, _)| *id).collect();
        let mut plan = Self {
            stored: look.job.status.clone(),
            from: look.from,
            counted: failures.iter().filter(|id| counts_as_failure(&look.job, pod(look, **id))).count(),
            completed: BTreeSet::new(),
            failed_indexes: BTreeSet::new(),
            back_off: BackOff::default(),
            active: look.active().map(|(id, _)| *id).collect(),
            created: 0,
            stopped: BTreeSet::new(),
            status,
            successes,
            failures,
        };
        plan.indexes(look);
        plan.back_off = back_off(look, &plan, &memory.back_off);
        plan.begin(look);
        plan
    }

    fn indexes(&mut self, look: &Look) {
        if !look.job.spec.indexed {
            return;
        }
        let bound = look.job.bound();
        self.status.completed.retain(|index| *index < bound);
        let failed = self.status.failed_indexes.take().unwrap_or_default();
        let failed: BTreeSet<u32> = failed.into_iter().filter(|index| *index < bound).collect();
        let succeeded = self.successes.iter().filter_map(|id| pod(look, *id).index);
        self.completed =
            self.status.completed.iter().copied().chain(succeeded).filter(|i| !failed.contains(i)).collect();
        self.failed_indexes = failed.clone();
        if let Some(limit) = look.job.spec.per_index {
            for failure in self.failures.iter().map(|id| pod(look, *id)) {
                if verdict::ends_index(&look.job, failure, limit)
                    && let Some(index) = failure.index.filter(|index| !self.completed.contains(index))
                {
                    self.failed_indexes.insert(index);
                }
            }
            self.status.failed_indexes = Some(failed);
        }
    }

    fn begin(&mut self, look: &Look) {
        if self.status.start.is_none() && !look.job.spec.suspend {
            self.status.start = Some(look.seconds);
        }
    }

    /// Successes so far: counted, in the ledger, and new ones (PAR-003, PAR-004).
    pub fn succeeded(&self, look: &Look) -> usize {
        match look.job.spec.indexed {
            true => self.completed.len(),
            false => self.status.succeeded + self.status.uncounted_succeeded.len() + self.successes.len(),
        }
    }

    /// Failures that count against the limit (BKO-003).
    pub fn failed(&self) -> usize {
        self.status.failed + self.status.uncounted_failed.len() + self.counted
    }

    /// The counters of live pods, this sync's doings included (PAR-021, PRP-003).
    pub fn census(&mut self, look: &Look) {
        let ready = look.pods.iter().filter(|(id, pod)| self.active.contains(id) && pod.ready).count();
        let terminating = look.pods.iter().filter(|(id, pod)| pod.is_stopping() || self.stopped.contains(id)).count();
        self.status.active = self.active.len() + self.created;
        self.status.ready = Some(ready);
        self.status.terminating = Some(terminating);
    }

    /// Suspended and resumed (SUS-001, SUS-003, SUS-009).
    pub fn suspension(&mut self, look: &Look, forgets_start: bool) {
        let known = self.status.conditions.iter_mut().find(|condition| condition.kind == "Suspended");
        let is_held = known.as_ref().is_some_and(|condition| condition.holds);
        let (holds, reason, message) = match (look.job.spec.suspend, is_held) {
            (true, false) => (true, "JobSuspended", "Job suspended"),
            (false, true) => (false, "JobResumed", "Job resumed"),
            _ => return,
        };
        let condition =
            Condition { kind: "Suspended", holds, reason, message: message.to_owned(), since: look.seconds };
        match known {
            Some(known) => *known = condition,
            None => self.status.conditions.push(condition),
        }
        match holds {
            true if forgets_start => self.status.start = None,
            true => {}
            false => self.status.start = Some(look.seconds),
        }
    }

    /// Whether the write that is due has a decision in it that is not stored yet.
    pub fn decides(&self) -> bool {
        let is_decided = |status: &Status| {
            ["SuccessCriteriaMet", "FailureTarget"].into_iter().any(|kind| status.held(kind).is_some())
        };
        is_decided(&self.status) && !is_decided(&self.stored)
    }
}

/// UIDs whose pods have lost the finalizer, or are not there any more, are counted (step 9).
fn flush(look: &Look, status: &mut Status) {
    let is_held = |id: &PodId| look.pods.iter().any(|(known, pod)| known == id && pod.tracked);
    for is_success in [true, false] {
        let list = if is_success { &mut status.uncounted_succeeded } else { &mut status.uncounted_failed };
        let before = list.len();
        list.retain(|id| is_held(id));
        let counted = before - list.len();
        if is_success {
            status.succeeded += counted;
        } else {
            status.failed += counted;
        }
    }
}

pub fn pod(look: &Look, id: PodId) -> &Pod {
    &look.pods.iter().find(|(known, _)| *known == id).expect("it was seen").1
}

/// Whether a failure is charged: a policy may say that it is not (PFP-009).
pub fn counts_as_failure(job: &Job, pod: &Pod) -> bool {
    !matches!(pod.matches(&job.spec.failure), Some((_, FailureRule::Ignore | FailureRule::IgnoreDisruption)))
}

/// The record that counts once the status is written (BKO-008, BKO-011).
fn back_off(look: &Look, plan: &Plan, known: &BackOff) -> BackOff {
    let is_new = |id: &&PodId| !known.known.contains(*id);
    let success = plan.successes.iter().filter(is_new).map(|id| pod(look, *id).finish()).max();
    let failures = plan.failures.iter().filter(is_new).map(|id| pod(look, *id).finish());
    let later: Vec<i64> = failures.filter(|finish| success.is_none_or(|success| *finish > success)).collect();
    let (before, last) = if success.is_some() { (0, 0) } else { (known.failures, known.last) };
    let seen = plan.successes.iter().chain(&plan.failures).copied();
    BackOff {
        failures: before + u32::try_from(later.len()).unwrap_or(0),
        last: later.into_iter().fold(last, i64::max),
        known: known.known.iter().copied().chain(seen).collect(),
    }
}
