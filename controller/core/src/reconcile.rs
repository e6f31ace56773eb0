//! One sync up to its first calls: the order in which the policies are asked.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::{IndexSet, condition::reason};

use crate::census::{Census, Member};
use crate::claims::claims;
use crate::counting::{Candidate, Recorded, Tally};
use crate::index_backoff::{self, Held};
use crate::indexed::{self, Indexes};
use crate::lifecycle::Verdict;
use crate::memory::Quiet;
use crate::refusal::Room;
use crate::scaling::{Scaling, Step};
use crate::steps::whole_seconds;
use crate::sync_state::{Awaited, PodCounts, SyncState};
use crate::{
    Awaiting, Batch, Decision, Effort, Gates, JobView, Limits, Memory, Mode, Notice, Requeue, Sample, Snapshot,
    backoff, backoff_limit, deadline,
};

/// Decides what to do about a Job (SYN-025, SYN-026, STA-002, STA-007, STA-015, STA-021, MGB-008). A Job of which nothing
/// changed since there was nothing to do is not looked at again, whatever its size.
///
/// # Guarantees
///
/// - Nothing is decided by the order of the pods, nor by memory alone: forgetting it costs time at most (SYN-026).
/// - An unchanged world that was acted upon leads to no further call (SYN-025).
/// - No pod is released before its end is in the status that is written in the same decision or was written before.
/// - Statuses pass the validation of the API server (STA-021), as far as the stored one does.
#[must_use]
pub fn reconcile(seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, gates: &Gates, limits: &Limits) -> Decision {
    if let Some(effort) = memory.last_quiet_look(seen, gates, limits) {
        return Decision { effort, ..Decision::idle(memory.clone()) };
    }
    let mut decision = look(seen, memory, now, gates, limits);
    decision.memory.quiet = decision.leads_nowhere().then(|| Quiet::of(decision.effort, seen, gates, limits)).flatten();
    decision
}

fn look(seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, gates: &Gates, limits: &Limits) -> Decision {
    let now = whole_seconds(now);
    let memory = memory.after_looking(seen, now, gates, limits);
    if let Some(decision) = without_looking(seen, &memory, gates, limits) {
        return decision;
    }
    let look = SyncContext::take(seen, &memory, now, gates, limits);
    let verdict = look.verdict();
    let scales = verdict.is_none() && !seen.job.deleting && memory.is_satisfied();
    let step = scales.then(|| look.scaling().step());
    look.into_sync_state(verdict, step, memory).scale()
}

/// Syncs that do not look at the pods' state (SYN-011, SYN-012, SYN-019 to SYN-022, MET-004, MET-015, EVT-008).
fn without_looking(seen: &Snapshot<'_>, memory: &Memory, gates: &Gates, limits: &Limits) -> Option<Decision> {
    let job = seen.job;
    let idle = Decision::idle(memory.clone());
    if let Some(why) = &job.unreadable {
        return Some(Decision { notices: vec![Notice::unreadable_job(why)], ..idle });
    }
    if job.status.is_finished() {
        let memory = Memory { backoff: backoff::Record::default(), ..memory.clone() };
        return Some(Decision { memory, ..idle });
    }
    if memory.is_ahead_of(job) {
        let samples = if gates.stale_consistency && !memory.finished { vec![Sample::StaleSyncSkipped] } else { vec![] };
        return Some(Decision { samples, requeue: Requeue::After(limits.batch_period), ..idle });
    }
    if matches!(job.spec.mode, Mode::Unknown(_)) {
        return Some(Decision { notices: vec![Notice::unknown_completion_mode()], ..idle });
    }
    let claims = claims(job, seen.pods);
    if claims.is_empty() {
        return None;
    }
    let awaiting =
        Some(Awaiting(Awaited::Claimed { memory: Box::new(memory.clone()), batch_period: limits.batch_period }));
    Some(Decision { batches: vec![Batch::and_go_on(claims)], awaiting, ..idle })
}

/// Pods that were counted, are listed, and just ended.
fn sum(counted: u32, listed: usize, new: u64) -> u64 {
    let listed = u64::try_from(listed).unwrap_or(u64::MAX);
    u64::from(counted).saturating_add(listed).saturating_add(new)
}

/// Everything that the policies look at, found out once per sync.
struct SyncContext<'a> {
    job: &'a JobView,
    census: Census<'a>,
    recorded: Recorded<'a>,
    tally: Tally,
    indexes: Option<Indexes>,
    /// Indexes that have a pod.
    busy: IndexSet,
    held: Option<BTreeMap<u32, Held>>,
    record: backoff::Record,
    /// How much room the pods take up, those included that were created and not seen yet.
    room: Room,
    refused: SignedDuration,
    now: Timestamp,
    gates: &'a Gates,
    limits: &'a Limits,
}

impl<'a> SyncContext<'a> {
    fn take(seen: &Snapshot<'a>, memory: &Memory, now: Timestamp, gates: &'a Gates, limits: &'a Limits) -> Self {
        let job = seen.job;
        let census = Census::take(seen, memory, gates);
        let recorded = Recorded::of(&job.status);
        let tally = Tally::of(job, &census, &recorded, gates);
        let indexes = job.spec.is_indexed().then(|| Indexes::of(job, &census, &recorded, gates));
        let occupies = |member: &&Member<'_>| member.is_active() || (census.only_failed && member.is_terminating());
        let busy = census.members.iter().filter(occupies).filter_map(|member| member.valid_index(&job.spec)).collect();
        let held = match (&indexes, indexed::limit(&job.spec, gates)) {
            (Some(indexes), Some(_)) => Some(index_backoff::held(job, &census, indexes, &busy, gates)),
            _ => None,
        };
        let record = memory.backoff.after(&tally.success_times, &tally.failure_times);
        let live = u64::from(census.active).saturating_add(u64::from(census.terminating));
        let room = Room {
            generation: job.generation,
            live: usize::try_from(live).unwrap_or(usize::MAX),
            present: census.members.len().saturating_add(memory.created.len()),
        };
        let refused = memory.refusal.map_or(SignedDuration::ZERO, |refusal| refusal.remaining(room, now));
        Self { job, census, recorded, tally, indexes, busy, held, record, room, refused, now, gates, limits }
    }

    /// Successes, new ones included (IDX-016).
    fn succeeded(&self) -> u64 {
        match &self.indexes {
            Some(indexes) => indexes.completed.len(),
            None => sum(self.job.status.succeeded, self.recorded.succeeded.len(), self.tally.succeeded),
        }
    }

    /// Failures, new ones included (BKO-003).
    fn failed(&self) -> u64 {
        sum(self.job.status.failed, self.recorded.failed.len(), self.tally.failed)
    }

    /// How the Job ends, if it does: the first hit wins
    /// (STA-001, SUC-006, SUC-010 to SUC-012, SUC-016, SUC-017, SUC-023, DLN-005, BLI-007, BLI-008, BLI-009, BLI-018).
    fn verdict(&self) -> Option<Verdict> {
        let (spec, status) = (&self.job.spec, &self.job.status);
        if let Some(verdict) = Verdict::announced_in(status) {
            return Some(verdict);
        }
        if let Some(message) = &self.tally.fail_job {
            return Some(Verdict::pod_failure_policy(message.clone()));
        }
        if backoff_limit::is_exceeded(spec, self.failed(), &self.census) {
            return Some(Verdict::failure(reason::BACKOFF_LIMIT_EXCEEDED, self.gates));
        }
        if self.deadline().is_some_and(|remaining| remaining <= SignedDuration::ZERO) {
            return Some(Verdict::failure(reason::DEADLINE_EXCEEDED, self.gates));
        }
        let indexes = self.indexes.as_ref()?;
        if let Some(failed) = indexes.failed.as_ref().filter(|failed| !failed.is_empty()) {
            if spec.max_failed_indexes.is_some_and(|most| failed.len() > u64::from(most)) {
                return Some(Verdict::failure(reason::MAX_FAILED_INDEXES_EXCEEDED, self.gates));
            }
            if failed.len().saturating_add(indexes.completed.len()) >= u64::from(spec.completions.unwrap_or_default()) {
                return Some(Verdict::failure(reason::FAILED_INDEXES, self.gates));
            }
        }
        let policy = spec.success_policy.as_ref().filter(|_| self.gates.success_policy)?;
        policy.satisfied_by(&indexes.completed).map(Verdict::success_policy)
    }

    fn deadline(&self) -> Option<SignedDuration> {
        let fresh = self.job.status.start_time.is_none() && !self.job.spec.suspend;
        match (fresh, self.job.spec.deadline_s) {
            (true, seconds) => seconds.map(SignedDuration::from_secs),
            (false, _) => deadline::remaining(&self.job.spec, &self.job.status, self.now),
        }
    }

    fn scaling(&'a self) -> Scaling<'a> {
        Scaling {
            spec: &self.job.spec,
            census: &self.census,
            succeeded: self.succeeded(),
            failed: self.failed(),
            indexes: self.indexes.as_ref(),
            busy: &self.busy,
            held: self.held.as_ref(),
            backoff: self.record.remaining(self.now, self.limits),
            refused: self.refused,
            now: self.now,
            limits: self.limits,
        }
    }

    /// Pods with the finalizer that might lose it, in the order of their indexes. Active ones only when they might.
    fn candidates(&self, decided: bool) -> Vec<Candidate> {
        let everything = decided || self.job.deleting;
        let held = |member: &Member<'_>| {
            let index = member.valid_index(&self.job.spec);
            let held = index.and_then(|index| self.held.as_ref()?.get(&index));
            held.is_some_and(|held| held.uid == member.pod.uid)
        };
        let concerned =
            self.census.members.iter().filter(|member| member.tracked && (everything || !member.is_active()));
        let mut candidates: Vec<Candidate> =
            concerned.map(|member| Candidate::of(self.job, &self.census, member, held(member), self.gates)).collect();
        candidates.sort_by(|a, b| (a.index.unwrap_or(u32::MAX), &a.uid).cmp(&(b.index.unwrap_or(u32::MAX), &b.uid)));
        candidates
    }

    /// Hands over to the part of the sync that waits for outcomes.
    fn into_sync_state(self, verdict: Option<Verdict>, step: Option<Step>, memory: Memory) -> SyncState {
        let mut requeue = match memory.waiting_since {
            Some(since) => Requeue::in_what_is_left_of(self.limits.expectations, since, self.now),
            None => Requeue::No,
        };
        if let Some(remaining) = self.deadline().filter(|_| verdict.is_none()) {
            requeue = requeue.sooner(Requeue::After(remaining));
        }
        let effort = step.as_ref().map_or(Effort::Reconciling, |step| step.effort);
        let uncounted = &self.job.status.uncounted;
        let listed: Vec<_> = uncounted.succeeded.iter().chain(&uncounted.failed).collect();
        let still_tracked = match listed.is_empty() {
            true => Vec::new(),
            false => self.census.members.iter().filter(|m| m.tracked && self.recorded.contains(&m.pod.uid)).collect(),
        };
        let untracked_actives = match &verdict {
            Some(_) => {
                self.census.active().filter(|m| !m.tracked).map(|m| (m.pod.uid.clone(), m.pod.name.clone())).collect()
            }
            None => Vec::new(),
        };
        SyncState {
            spec: self.job.spec.clone(),
            old: self.job.status.clone(),
            based_on: self.job.revision,
            deleting: self.job.deleting,
            succeeded: self.succeeded(),
            counts: PodCounts {
                active: self.census.active,
                ready: self.census.ready,
                terminating: self.census.terminating,
            },
            candidates: self.candidates(verdict.is_some()),
            still_tracked: still_tracked.into_iter().map(|member| member.pod.uid.clone()).collect(),
            untracked_actives,
            record: self.record,
            room: self.room,
            indexes: self.indexes,
            verdict,
            step,
            memory,
            requeue,
            effort,
            now: self.now,
            gates: *self.gates,
            limits: *self.limits,
            samples: Vec::new(),
            notices: Vec::new(),
        }
    }
}
