//! What a sync that waits for the outcomes of its calls keeps meanwhile.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::counting::Candidate;
use crate::indexed::Indexes;
use crate::lifecycle::Verdict;
use crate::refusal::Room;
use crate::scaling::Step;
use crate::{Batch, Effort, Gates, JobSpec, Limits, Memory, Notice, Outcome, Requeue, Sample, Status, Uid, backoff};

/// The part of a sync that waits for outcomes.
#[derive(Clone, Debug)]
pub struct Awaiting(pub(crate) Awaited);

/// What the outcomes are waited for.
#[derive(Clone, Debug)]
pub(crate) enum Awaited {
    /// Adoptions and releases by selector; the pods are looked at in the next sync.
    Claimed { memory: Box<Memory>, batch_period: SignedDuration },
    /// The scaling step.
    Scaled(Box<SyncState>),
    /// The first status, if it `writes`, and the releases after it.
    Recorded { state: Box<SyncState>, status: Box<Status>, writes: bool, release: Vec<Batch> },
    /// The second status.
    Settled(Box<SyncState>),
}

/// How many pods are in which state, what this sync did included (PAR-021, PRP-003).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PodCounts {
    pub active: u32,
    pub ready: u32,
    pub terminating: u32,
}

/// Everything that the rest of a sync needs to know; owns it all, so that it can wait for outcomes.
#[derive(Clone, Debug)]
pub(crate) struct SyncState {
    pub spec: Arc<JobSpec>,
    /// The status as it stands on the server.
    pub old: Status,
    /// The Job's resourceVersion with that status.
    pub based_on: u64,
    pub deleting: bool,
    /// Successes, new ones included.
    pub succeeded: u64,
    pub counts: PodCounts,
    pub candidates: Vec<Candidate>,
    /// Listed pods that still have the finalizer.
    pub still_tracked: BTreeSet<Uid>,
    /// Active pods without the finalizer, which only have to go.
    pub untracked_actives: Vec<(Uid, Arc<str>)>,
    pub record: backoff::Record,
    /// How much room the pods took up before the scaling step.
    pub room: Room,
    pub indexes: Option<Indexes>,
    pub verdict: Option<Verdict>,
    /// The scaling step; `None` when it does not run.
    pub step: Option<Step>,
    pub memory: Memory,
    pub requeue: Requeue,
    pub effort: Effort,
    pub now: Timestamp,
    pub gates: Gates,
    pub limits: Limits,
    pub samples: Vec<Sample>,
    pub notices: Vec<Notice>,
}

impl PodCounts {
    /// A pod was told to stop, or turned out to be gone.
    pub(crate) fn stop(&mut self, ready: bool, outcome: &Outcome) {
        self.active = self.active.saturating_sub(1);
        self.ready = self.ready.saturating_sub(u32::from(ready));
        self.terminating = self.terminating.saturating_add(u32::from(*outcome != Outcome::Gone));
    }
}
