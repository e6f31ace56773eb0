//! The steps of one pass from call to call: what is done with the outcomes.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::Action;

use crate::memory::ExpectedPod;
use crate::pod::PodPhase;
use crate::status::Draft;
use crate::sync_state::{Awaited, Awaiting, Mark, Plan, Review, SyncState};
use crate::{Call, Decision, Memory, Notice, Outcome, Requeue, plugin, transition};

impl Awaiting {
    /// How the sync goes on. `outcomes` has one list per batch of the decision, with one outcome per call in the same
    /// order; calls that were not made are [`Outcome::Skipped`]. `now` is the time at which the outcomes were known.
    #[must_use]
    pub fn after(self, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        match self.0 {
            Awaited::Ordered { memory, action, catch_up } => {
                ordered(*memory, action, catch_up, outcomes.first().and_then(|batch| batch.first()))
            }
            Awaited::Killed(state) => state.killed(outcomes),
            Awaited::Supplied(mut state, draft) => {
                state.now = state.now.max(now);
                state.supplied(*draft, outcomes)
            }
            Awaited::Settled(state) => state.settled(outcomes),
        }
    }
}

/// Only who has deleted a Command carries it out (VJ-302).
fn ordered(mut memory: Memory, action: Action, catch_up: SignedDuration, outcome: Option<&Outcome>) -> Decision {
    let (requeue, notices) = match outcome {
        Some(Outcome::Done { .. }) => {
            let notices = vec![Notice::command(&action)];
            memory.issued = Some(action);
            (Requeue::After(SignedDuration::ZERO), notices)
        }
        Some(Outcome::Gone) => (Requeue::After(catch_up), Vec::new()),
        _ => (Requeue::Failed, Vec::new()),
    };
    Decision { notices, requeue, ..Decision::idle(memory, 0) }
}

impl SyncState {
    /// Status and kills in one go. What is decided is written before it is done: a write that fails has changed nothing, and
    /// calls that fail after it follow from it in the next pass. Release 1.15 has it the other way round (VJ-322), but for
    /// the `PodGroup` (VJ-341).
    pub fn kill(mut self, draft: Draft, kills: Vec<Call>, teardown: Vec<Call>, group: Option<Call>) -> Decision {
        let moved = self.moves(draft.phase);
        let idle = kills.is_empty() && teardown.is_empty() && group.is_none();
        let status = self.write(draft).filter(|write| !(idle && self.puts_off(write)));
        if moved || !teardown.is_empty() {
            self.goes_on_at_once();
        }
        let plain = |calls: Vec<Call>| calls.into_iter().map(|call| (call, Mark::Plain)).collect::<Vec<_>>();
        let status: Vec<_> = status.into_iter().map(|call| (call, Mark::Status)).collect();
        let (kills, teardown, group) = (plain(kills), plain(teardown), plain(group.into_iter().collect()));
        let plan = match self.limits.profile.writes_status_last() {
            true => vec![kills, teardown, status, group],
            false => vec![status, kills, teardown.into_iter().chain(group).collect()],
        };
        let batches = self.expect(plan);
        if batches.is_empty() {
            return self.killed(&[]);
        }
        let (memory, notices) = (self.memory.clone(), std::mem::take(&mut self.findings.notices));
        Decision {
            notices,
            batches,
            awaiting: Some(Awaiting(Awaited::Killed(Box::new(self)))),
            ..Decision::idle(memory, 0)
        }
    }

    /// Calls first, and then the status that tells what they came to.
    pub fn supply(mut self, draft: Draft, plan: Plan) -> Decision {
        let batches = self.expect(plan);
        if batches.is_empty() {
            return self.supplied(draft, &[]);
        }
        let (memory, notices) = (self.memory.clone(), std::mem::take(&mut self.findings.notices));
        let awaiting = Some(Awaiting(Awaited::Supplied(Box::new(self), Box::new(draft))));
        Decision { notices, batches, awaiting, ..Decision::idle(memory, 0) }
    }

    /// The pass cannot be made: it is tried again later, and its requests with it.
    pub fn refuse(self) -> Decision {
        let consumed = self.consumed(true);
        let notices = self.findings.notices;
        Decision { notices, requeue: Requeue::Failed, ..Decision::idle(self.memory, consumed) }
    }

    fn killed(mut self, outcomes: &[Vec<Outcome>]) -> Decision {
        let review = self.review(outcomes);
        let wrote = self.take_over(&review);
        let wanted = self.expected.iter().flatten().any(|call| call.mark == Mark::Status);
        if wrote || (!wanted && !review.failed) {
            self.settle_occasion();
        }
        if !review.failed {
            self.memory.torn_down = self.tears_down.or(self.memory.torn_down);
        }
        self.end(review)
    }

    fn supplied(mut self, mut draft: Draft, outcomes: &[Vec<Outcome>]) -> Decision {
        let review = self.review(outcomes);
        self.take_over(&review);
        let mut made = false;
        let unmade: BTreeSet<&'static str> = self.unmade(outcomes);
        if self.finds_names_taken(outcomes) {
            self.requeue = self.requeue.sooner(Requeue::After(self.limits.name_taken));
        }
        for (mark, revision) in &review.achieved {
            match mark {
                Mark::Plugin(name, hosts) => {
                    if !unmade.contains(name) {
                        draft.resources.insert(plugin::resource_key(name), (*name).to_owned());
                    }
                    self.memory.hosts = hosts.clone().or(self.memory.hosts.take());
                }
                Mark::Claim(name) => {
                    draft.resources.insert(format!("volume-pvc-{name}"), name.clone());
                }
                // One that was there already is counted when it is seen (VJ-164).
                Mark::Pod(task, name) if *revision > 0 => {
                    made = true;
                    draft.tally.add(task, PodPhase::Pending, false);
                    let birth = ExpectedPod { task: task.clone(), version: draft.version, since: self.now };
                    self.memory.created.insert(name.clone(), birth);
                }
                Mark::Plain | Mark::Status | Mark::Spec | Mark::Pod(..) => {}
            }
        }
        let fails = review.failed || self.requeue == Requeue::Failed;
        if let Some((cell, goals)) = self.function.take().filter(|_| !fails) {
            let (profile, phase) = (self.limits.profile, draft.phase);
            draft.phase = transition::next_phase(profile, phase, cell, &goals, &draft.tally, draft.retries);
        }
        if review.failed {
            self.requeue = Requeue::Failed;
        }
        self.findings.notices.extend(review.notices);
        if self.moves(draft.phase) {
            self.goes_on_at_once();
        }
        // The write of a claim's name has given the job another version: the status waits for that to be seen.
        let outdated = self.memory.is_ahead_of(&self.job);
        let write = self.write(draft).filter(|write| !outdated && (made || !self.puts_off(write)));
        match write {
            None => self.settled(&[]),
            Some(call) => {
                let batches = self.expect(vec![vec![(call, Mark::Status)]]);
                let (memory, notices) = (self.memory.clone(), std::mem::take(&mut self.findings.notices));
                Decision {
                    notices,
                    batches,
                    awaiting: Some(Awaiting(Awaited::Settled(Box::new(self)))),
                    ..Decision::idle(memory, 0)
                }
            }
        }
    }

    fn settled(mut self, outcomes: &[Vec<Outcome>]) -> Decision {
        if outcomes.is_empty() {
            self.expected.clear();
        }
        let review = self.review(outcomes);
        self.take_over(&review);
        if !review.failed && self.requeue != Requeue::Failed {
            self.settle_occasion();
        }
        if self.memory.is_ahead_of(&self.job) && outcomes.is_empty() {
            self.requeue = self.requeue.sooner(Requeue::After(self.limits.catch_up));
        }
        self.end(review)
    }

    fn end(mut self, review: Review) -> Decision {
        self.findings.notices.extend(review.notices);
        let requeue = match (review.failed, review.conflict) {
            // Somebody else wrote: the cache will show it soon.
            (true, true) => Requeue::After(self.limits.catch_up),
            (true, false) => Requeue::Failed,
            (false, _) => self.requeue,
        };
        let consumed = self.consumed(review.failed || requeue == Requeue::Failed);
        let notices = self.findings.notices;
        Decision { notices, requeue, ..Decision::idle(self.memory, consumed) }
    }
}
