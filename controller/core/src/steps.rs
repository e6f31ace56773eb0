//! The steps of one sync from call to call: scale, record and release, count and seal.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::counting::{self, Accounted, Rules};
use crate::lifecycle::Verdict;
use crate::refusal::Refusal;
use crate::scaling::Step;
use crate::sync_state::{Awaited, SyncState};
use crate::{
    Action, Awaiting, Batch, Decision, Failure, NewStatus, Notice, Outcome, Requeue, Sample, Status, Uid, backoff,
    suspend, traces,
};

impl Awaiting {
    /// How the sync goes on. `outcomes` has one list per batch of the decision, with one outcome per action in the same
    /// order; calls that were not made are [`Outcome::Skipped`]. `now` is the time at which the outcomes were known.
    #[must_use]
    pub fn after(self, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        let now = whole_seconds(now);
        let later = |mut state: Box<SyncState>| {
            state.now = state.now.max(now);
            *state
        };
        let first = outcomes.first().map_or(&[] as &[Outcome], Vec::as_slice);
        match self.0 {
            Awaited::Claimed { memory, batch_period } => {
                let missed = first.iter().filter(|outcome| !outcome.is_achieved());
                let missed = missed.map(|outcome| Requeue::for_want_of(Some(outcome))).reduce(Requeue::sooner);
                let requeue = missed.unwrap_or(Requeue::After(batch_period));
                Decision { requeue, ..Decision::idle(*memory) }
            }
            Awaited::Scaled(state) => later(state).scaled(first),
            Awaited::Recorded { state, status, writes, release } => {
                later(state).recorded(*status, writes, &release, outcomes)
            }
            Awaited::Settled(state) => later(state).settled(first.first()),
        }
    }
}

impl SyncState {
    /// The scaling step's calls, or straight on (PAR-011, PAR-012).
    pub fn scale(mut self) -> Decision {
        match self.step.as_ref().map(|step| (step.actions.clone(), step.requeue)) {
            Some((actions, requeue)) if !actions.is_empty() => {
                self.requeue = self.requeue.sooner(requeue);
                let memory = self.memory.clone();
                let awaiting = Some(Awaiting(Awaited::Scaled(Box::new(self))));
                Decision { batches: vec![Batch::and_go_on(actions)], awaiting, ..Decision::idle(memory) }
            }
            step => {
                self.requeue = self.requeue.sooner(step.map_or(Requeue::No, |(_, requeue)| requeue));
                self.record()
            }
        }
    }

    /// What the scaling step's calls came to (PAR-012, PAR-013, PAR-018, PAR-021, PAR-027, PAR-028, SYN-014, SYN-016,
    /// SUS-006, BKO-017).
    pub fn scaled(mut self, outcomes: &[Outcome]) -> Decision {
        let Some(step) = self.step.clone() else { return self.record() };
        self.created(&step, outcomes);
        for (at, (action, outcome)) in step.actions.iter().zip(outcomes).enumerate() {
            match (action, outcome) {
                (Action::CreatePod(_), _) | (_, Outcome::Skipped) => {}
                (Action::StripAndDelete { uid, .. }, outcome) if outcome.is_achieved() => {
                    self.memory.deleted.insert(uid.clone());
                    self.memory.released.insert(uid.clone());
                    self.counts.stop(step.ready.get(at).copied().unwrap_or_default(), outcome);
                }
                (_, outcome) => self.requeue = self.requeue.held_up(Requeue::for_want_of(Some(outcome))),
            }
        }
        if !self.memory.is_satisfied() {
            self.memory.waiting_since = Some(self.now);
        }
        self.record()
    }

    /// What the creations came to. A refusal holds back creations, and nothing else of the Job (SYN-005, BKO-017).
    fn created(&mut self, step: &Step, outcomes: &[Outcome]) {
        let creations = step.actions.iter().zip(outcomes).filter(|(action, _)| matches!(action, Action::CreatePod(_)));
        let (mut created, mut refused, mut tried) = (0_usize, false, false);
        for (_, outcome) in creations {
            tried = true;
            match outcome {
                Outcome::Created { uid, revision, .. } => {
                    self.memory.created.insert(uid.clone(), *revision);
                    self.counts.active = self.counts.active.saturating_add(1);
                    created = created.saturating_add(1);
                }
                Outcome::Skipped | Outcome::Failed(Failure::NamespaceTerminating) => {}
                Outcome::Failed(Failure::Later(wait)) => self.requeue = self.requeue.held_up(Requeue::After(*wait)),
                Outcome::Unknown => {
                    self.memory.unsure = true;
                    self.requeue = self.requeue.held_up(Requeue::Refused(self.limits.batch_period));
                }
                _ => refused = true,
            }
        }
        if refused {
            let refusal = Refusal::after(self.memory.refusal, self.room, created, self.now);
            self.requeue = self.requeue.held_up(Requeue::Refused(refusal.wait(self.now)));
            self.memory.refusal = Some(refusal);
        } else if tried {
            self.memory.refusal = None;
        }
    }

    /// The first status: who ended is recorded, a verdict is announced, and then pods are released
    /// (SYN-015, PAR-003, PAR-004, PAR-023, STA-004, STA-012, STA-011, SUS-004, SUC-007, FIN-005, FIN-010).
    fn record(mut self) -> Decision {
        self.complete();
        let mut status = self.old.clone();
        if status.start_time.is_none() && !self.spec.suspend {
            status.start_time = Some(self.now);
        }
        counting::count(&mut status, |uid| !self.still_tracked.contains(uid));
        let rules = Rules {
            indexed: self.spec.is_indexed(),
            deleting: self.deleting,
            succeeds: self.verdict.as_ref().map(|verdict| verdict.succeeds),
            at_most: self.limits.accounted_per_sync,
        };
        let accounted = counting::record(&mut status, &self.candidates, rules);
        self.put_indexes(&mut status, &accounted);
        if let Some(verdict) = &self.verdict {
            verdict.announce(&mut status, self.now);
        } else if self.step.is_some() {
            self.notices.extend(suspend::maintain(&mut status, &self.spec, self.now, &self.gates));
        }
        let release = self.release(accounted);
        self.put_counts(&mut status);
        self.write(status, release)
    }

    /// Whether all completions are reached (PAR-003, PAR-004, PAR-019, PAR-020, IDX-020, IDX-024, SUC-013, SUC-014).
    fn complete(&mut self) {
        if self.verdict.is_some() || self.counts.active > 0 {
            return;
        }
        let complete = match self.spec.completions {
            Some(completions) => self.succeeded >= u64::from(completions),
            None => self.succeeded > 0,
        };
        if complete {
            self.verdict = Some(Verdict::completions_reached(&self.gates));
            if self.spec.completions.is_some_and(|completions| self.succeeded > u64::from(completions)) {
                self.notices.push(Notice::too_many_succeeded());
            }
        }
    }

    /// Completed and failed indexes (IDX-014, IDX-016, IDX-018, IDX-019, STA-013, STA-017, BLI-004, BLI-005, BLI-016).
    fn put_indexes(&self, status: &mut Status, accounted: &Accounted) {
        status.stale_text = false;
        let indexes = self.indexes.as_ref();
        let failed = indexes.and_then(|indexes| indexes.failed.clone());
        let completed = match indexes {
            Some(indexes) => {
                let new = match &failed {
                    Some(failed) => accounted.completed.minus(failed),
                    None => accounted.completed.clone(),
                };
                let completed = indexes.completed_before.union(&new);
                status.succeeded = u32::try_from(completed.len()).unwrap_or(u32::MAX);
                completed
            }
            None => jobsworth_api::IndexSet::new(),
        };
        if *status.completed != completed {
            status.completed = Arc::new(completed);
        }
        if status.failed_indexes.as_deref() != failed.as_ref() {
            status.failed_indexes = failed.map(Arc::new);
        }
    }

    /// The numbers of pods; `ready` never exceeds `active` (PRP-003, PRP-004, PRP-011, PAR-022, STA-014 to STA-016).
    fn put_counts(&self, status: &mut Status) {
        status.active = self.counts.active;
        status.ready = Some(self.counts.ready.min(self.counts.active));
        status.terminating = self.gates.pod_replacement_policy.then_some(self.counts.terminating);
    }

    /// The calls after the first status, batch after batch. A decided Job stops all its pods once its status says why; they are
    /// counted as terminating when they have been told to, not before (STA-004, SUC-008, BKO-005, PAR-009, VST-206).
    fn release(&mut self, accounted: Accounted) -> Vec<Batch> {
        let mut stops = accounted.deletions;
        let gone = self.untracked_actives.drain(..);
        stops.extend(gone.map(|(uid, name)| Action::DeletePod { uid, name }));
        if accounted.capped {
            self.requeue = self.requeue.sooner(Requeue::After(SignedDuration::ZERO));
        }
        for (action, count) in accounted.handled {
            self.samples.push(Sample::FailureHandled { action, count });
        }
        [stops, accounted.releases].into_iter().filter(|actions| !actions.is_empty()).map(Batch::and_go_on).collect()
    }

    /// Writes the status if it changed, then makes the other calls; goes straight on when there is nothing to do.
    fn write(mut self, status: Status, release: Vec<Batch>) -> Decision {
        let mut batches = Vec::new();
        let writes = status != self.old;
        let notices = std::mem::take(&mut self.notices);
        let mut samples = std::mem::take(&mut self.samples);
        if writes {
            samples.extend(traces::between(&self.old, &status, &self.spec, &self.gates));
            let new = NewStatus {
                status: status.clone(),
                based_on: self.based_on,
                notices: vec![],
                samples: samples.split_off(0),
            };
            batches.push(Batch::or_stop(vec![Action::WriteStatus(Box::new(new))]));
        }
        batches.extend(release.iter().cloned());
        if batches.is_empty() {
            self.memory.backoff = self.record;
            let decision = self.settle(status);
            return Decision { notices: [notices, decision.notices].concat(), ..decision };
        }
        let memory = self.memory.clone();
        let stage = Awaited::Recorded { state: Box::new(self), status: Box::new(status), writes, release };
        let awaiting = Some(Awaiting(stage));
        Decision { notices, samples, batches, awaiting, ..Decision::idle(memory) }
    }

    /// What the first status and the releases came to (SYN-024, BKO-012, FIN-008, FIN-009, PRP-006).
    pub fn recorded(
        mut self,
        mut status: Status,
        writes: bool,
        release: &[Batch],
        outcomes: &[Vec<Outcome>],
    ) -> Decision {
        if writes {
            match outcomes.first().and_then(|batch| batch.first()) {
                Some(Outcome::Done { revision }) => {
                    self.memory.written = *revision;
                    self.based_on = *revision;
                    self.old = status.clone();
                }
                outcome => return self.fail(outcome),
            }
        }
        self.memory.backoff = self.record;
        let mut released = BTreeSet::new();
        for (nth, batch) in release.iter().enumerate() {
            let results =
                outcomes.get(nth.saturating_add(usize::from(writes))).map_or(&[] as &[Outcome], Vec::as_slice);
            for (at, action) in batch.actions.iter().enumerate() {
                self.note(action, results.get(at).unwrap_or(&Outcome::Skipped), &mut released);
            }
        }
        if !self.memory.deleted.is_empty() {
            self.memory.waiting_since.get_or_insert(self.now);
        }
        self.candidates.retain(|candidate| !released.contains(&candidate.uid));
        counting::count(&mut status, |uid| released.contains(uid));
        self.put_counts(&mut status);
        self.settle(status)
    }

    /// One outcome of a release.
    fn note(&mut self, action: &Action, outcome: &Outcome, released: &mut BTreeSet<Uid>) {
        let achieved = outcome.is_achieved();
        if !achieved {
            self.requeue = self.requeue.held_up(Requeue::for_want_of(Some(outcome)));
        }
        if let (true, Action::ReleasePod { uid, .. } | Action::StripAndDelete { uid, .. }) = (achieved, action) {
            released.insert(uid.clone());
            self.memory.released.insert(uid.clone());
        }
        let (Action::StripAndDelete { uid, .. } | Action::DeletePod { uid, .. }) = action else { return };
        if achieved {
            self.memory.deleted.insert(uid.clone());
            // Which of them were ready shows later; `ready` is kept below `active` meanwhile.
            self.counts.stop(false, outcome);
        }
    }

    /// The second status: released pods are counted, and a Job with nothing left gets its terminal condition
    /// (FIN-010, FIN-011, PRP-008, STA-006, STA-009, STA-019, SUC-009, SUC-021, MET-006).
    fn settle(mut self, mut status: Status) -> Decision {
        let nothing_left = self.candidates.is_empty() && status.uncounted.is_empty() && self.counts.active == 0;
        let awaited = self.gates.delays_terminal_condition() && self.counts.terminating > 0;
        let seen = self.memory.created.is_empty() && !self.memory.unsure;
        let sealed = self.verdict.clone().filter(|_| nothing_left && !awaited && seen);
        if let Some(verdict) = &sealed {
            status.active = 0;
            status.ready = Some(0);
            verdict.seal(&mut status, self.now);
        }
        if status == self.old {
            return self.end();
        }
        let mut samples = traces::between(&self.old, &status, &self.spec, &self.gates);
        samples.extend(sealed.iter().map(Verdict::sample));
        let notices = sealed.iter().map(Verdict::notice).collect();
        self.memory.finished = sealed.is_some();
        let memory = self.memory.clone();
        let new = NewStatus { status, based_on: self.based_on, notices, samples };
        let batches = vec![Batch::or_stop(vec![Action::WriteStatus(Box::new(new))])];
        Decision { batches, awaiting: Some(Awaiting(Awaited::Settled(Box::new(self)))), ..Decision::idle(memory) }
    }

    /// What the second status came to (SYN-020, SYN-024).
    pub fn settled(mut self, outcome: Option<&Outcome>) -> Decision {
        match outcome {
            Some(Outcome::Done { revision }) => self.memory.written = *revision,
            outcome => return self.fail(outcome),
        }
        if self.memory.finished {
            self.memory.backoff = backoff::Record::default();
            self.requeue = Requeue::No;
        }
        self.end()
    }

    /// The status was not written: what was computed from it is worth nothing.
    fn fail(mut self, outcome: Option<&Outcome>) -> Decision {
        self.memory.finished = false;
        self.requeue = Requeue::for_want_of(outcome);
        self.end()
    }

    fn end(self) -> Decision {
        Decision { requeue: self.requeue, effort: Some(self.effort), ..Decision::idle(self.memory) }
    }
}

/// Times in a status have no fractions: what is written is what will be read.
pub(crate) fn whole_seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
