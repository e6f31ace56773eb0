//! The scaling step: how many pods are wanted, which ones go, which ones are born.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::IndexSet;

use crate::census::{Census, Member};
use crate::index_backoff::Held;
use crate::indexed::Indexes;
use crate::pod::FailureCounts;
use crate::ranking::rank;
use crate::{Action, CreatePod, Effort, JobSpec, Limits, Requeue, Why};

/// What the scaling step looks at.
pub(crate) struct Scaling<'a> {
    pub spec: &'a JobSpec,
    pub census: &'a Census<'a>,
    /// Successes, those of this sync included.
    pub succeeded: u64,
    /// Failures, those of this sync included; for the metric's label only.
    pub failed: u64,
    pub indexes: Option<&'a Indexes>,
    /// Indexes that have a pod.
    pub busy: &'a IndexSet,
    /// Failed pods of indexes that are to be tried again; `None` without a limit per index.
    pub held: Option<&'a BTreeMap<u32, Held>>,
    /// What is left of the global backoff.
    pub backoff: SignedDuration,
    /// How long creations wait because they were refused.
    pub refused: SignedDuration,
    pub now: Timestamp,
    pub limits: &'a Limits,
}

/// What the scaling step wants.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub effort: Effort,
    /// Deletions or creations, never both (PAR-008).
    pub actions: Vec<Action>,
    /// For each deletion whether the pod is ready.
    pub ready: Vec<bool>,
    pub requeue: Requeue,
}

/// Index and failures of a pod to be born.
type Creation = (Option<u32>, Option<FailureCounts>);

impl Step {
    fn nothing(effort: Effort, requeue: Requeue) -> Self {
        Self { effort, actions: Vec::new(), ready: Vec::new(), requeue }
    }

    fn remove(victims: &[(&Member<'_>, Why)], requeue: Requeue) -> Self {
        let actions = victims.iter().map(|(member, why)| Action::StripAndDelete {
            uid: member.pod.uid.clone(),
            name: member.pod.name.clone(),
            tracked: member.tracked,
            why: *why,
        });
        let ready = victims.iter().map(|(member, _)| member.pod.ready).collect();
        Self { effort: Effort::PodsDeleted, actions: actions.collect(), ready, requeue }
    }
}

impl<'a> Scaling<'a> {
    /// One step towards the wanted number of pods (PAR-006, PAR-008, PAR-009, PAR-016, PAR-017, PAR-024, PAR-025, SUS-002,
    /// SUS-005, SUS-007, SUS-012, BKO-014).
    pub fn step(&self) -> Step {
        if self.spec.suspend {
            let all: Vec<_> = self.census.active().map(|member| (member, Why::Suspended)).collect();
            return Step::remove(&all, Requeue::No);
        }
        let mut victims = self.victims();
        if victims.is_empty() {
            return self.births();
        }
        let more = victims.len() > self.limits.pods_per_sync;
        victims.truncate(self.limits.pods_per_sync);
        Step::remove(&victims, if more { Requeue::After(SignedDuration::ZERO) } else { Requeue::No })
    }

    /// How many pods are to be active (PAR-001, PAR-002, PAR-005, PAR-019).
    fn wanted(&self) -> u64 {
        let parallelism = u64::from(self.spec.parallelism);
        match self.spec.completions {
            Some(completions) => parallelism.min(u64::from(completions).saturating_sub(self.succeeded)),
            None if self.succeeded > 0 => u64::from(self.census.active),
            None => parallelism,
        }
    }

    /// Pods to remove, the most dispensable first: wrong indexes, duplicates, surplus
    /// (PAR-006, PAR-010, IDX-009, IDX-012, IDX-013, IDX-022).
    fn victims(&self) -> Vec<(&'a Member<'a>, Why)> {
        let surplus = u64::from(self.census.active).saturating_sub(self.wanted());
        let mut victims = Vec::new();
        let mut rest = Vec::new();
        match self.spec.indexes_below() {
            None if surplus == 0 => return victims,
            None => rest.extend(self.census.active()),
            Some(_) => self.sift(&mut victims, &mut rest),
        }
        let missing = usize::try_from(surplus).unwrap_or(usize::MAX).saturating_sub(victims.len());
        if missing > 0 {
            rest.sort_by(|a, b| rank(a.pod).cmp(&rank(b.pod)));
            victims.extend(rest.into_iter().take(missing).map(|member| (member, Why::Surplus)));
        }
        victims
    }

    /// Parts pods with wrong and taken indexes from the others; of each index the least dispensable stays.
    fn sift(&self, victims: &mut Vec<(&'a Member<'a>, Why)>, kept: &mut Vec<&'a Member<'a>>) {
        let mut placed: Vec<(u32, &'a Member<'a>)> = Vec::with_capacity(self.census.members.len());
        for member in self.census.active() {
            match member.valid_index(self.spec) {
                Some(index) => placed.push((index, member)),
                None => victims.push((member, Why::InvalidIndex)),
            }
        }
        placed.sort_by_key(|(index, _)| *index);
        kept.reserve(placed.len());
        let mut taken = None;
        for (index, member) in placed {
            match kept.last_mut().filter(|_| taken == Some(index)) {
                None => kept.push(member),
                Some(best) => {
                    let better = rank(best.pod) < rank(member.pod);
                    let loser = if better { std::mem::replace(best, member) } else { member };
                    victims.push((loser, Why::Duplicate));
                }
            }
            taken = Some(index);
        }
        victims.sort_by(|a, b| rank(a.0.pod).cmp(&rank(b.0.pod)));
    }

    /// Pods to create, or how long to wait (PAR-005, PAR-007, PRP-002, PRP-005, PRP-007, PRP-010, SUS-015, BKO-010,
    /// BLI-013, SYN-004).
    fn births(&self) -> Step {
        let leaving = if self.census.only_failed { self.census.terminating } else { 0 };
        let free = self.wanted().saturating_sub(self.census.active.into()).saturating_sub(leaving.into());
        let missing = usize::try_from(free).unwrap_or(usize::MAX);
        if missing == 0 {
            return Step::nothing(Effort::Tracking, Requeue::No);
        }
        if self.refused > SignedDuration::ZERO {
            return Step::nothing(Effort::PodsCreated, self.put_off(self.refused));
        }
        if self.held.is_none() && self.backoff > SignedDuration::ZERO {
            return Step::nothing(Effort::PodsCreated, self.put_off(self.backoff));
        }
        let count = missing.min(self.limits.pods_per_sync);
        let (born, wait) = match self.indexes {
            None => (vec![(None, None); count], Requeue::No),
            Some(indexes) => self.indexed_births(indexes, missing, count),
        };
        let more = if missing > count { Requeue::After(SignedDuration::ZERO) } else { Requeue::No };
        let reason = self.reason();
        let create = |(index, failures)| Action::CreatePod(CreatePod { index, failures, reason });
        Step {
            effort: Effort::PodsCreated,
            actions: born.into_iter().map(create).collect(),
            ready: Vec::new(),
            requeue: wait.sooner(more),
        }
    }

    /// The lowest free indexes; those in backoff make room for higher ones instead of holding them back
    /// (IDX-008, BLI-001, BLI-006, BLI-012, BLI-013, BLI-014).
    fn indexed_births(&self, indexes: &Indexes, missing: usize, count: usize) -> (Vec<Creation>, Requeue) {
        let below = self.spec.indexes_below().unwrap_or_default();
        let Some(held) = self.held else {
            let pending = indexes.pending(below, self.busy, count);
            return (pending.into_iter().map(|index| (Some(index), None)).collect(), Requeue::No);
        };
        let waits = |held: &Held| held.remaining(self.now, self.limits);
        let waiting = held.iter().map(|(index, held)| (*index, waits(held))).filter(|(_, wait)| !wait.is_zero());
        let waiting: BTreeMap<u32, SignedDuration> = waiting.collect();
        let busy = self.busy.union(&waiting.keys().copied().collect());
        let pending = indexes.pending(below, &busy, count);
        let wait = match waiting.values().min() {
            Some(soonest) if pending.len() < missing => self.put_off(*soonest),
            _ => Requeue::No,
        };
        let failures = |index: &u32| held.get(index).map(|held| held.next).unwrap_or_default();
        (pending.into_iter().map(|index| (Some(index), Some(failures(&index)))).collect(), wait)
    }

    fn put_off(&self, wait: SignedDuration) -> Requeue {
        Requeue::After(wait.max(self.limits.batch_period))
    }

    /// The metric's label about a creation (MET-012).
    fn reason(&self) -> &'static str {
        match (self.failed > 0, self.census.terminating > 0) {
            (true, _) if self.spec.replaces_only_failed => "recreate_failed",
            (true, _) | (_, true) => "recreate_terminating_or_failed",
            (false, false) => "new",
        }
    }
}
