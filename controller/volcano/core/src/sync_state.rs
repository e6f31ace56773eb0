//! What a pass that waits for outcomes keeps meanwhile, and what is expected of each call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, Event, Job};

use crate::call::Verb;
use crate::goals::Goals;
use crate::memory::revision;
use crate::occasion::Findings;
use crate::status::{self, Draft};
use crate::transition::Cell;
use crate::{Batch, Call, Failure, Limits, Memory, NewStatus, Notice, Outcome, Phase, Requeue};

/// The part of a sync that waits for outcomes.
#[derive(Clone, Debug)]
pub struct Awaiting(pub(crate) Awaited);

/// What the outcomes are waited for.
#[derive(Clone, Debug)]
pub(crate) enum Awaited {
    /// A Command was to be taken off the API.
    Ordered { memory: Box<Memory>, action: Action, catch_up: SignedDuration },
    /// Pods were to be killed, with the status among the calls.
    Killed(Box<SyncState>),
    /// What is missing was to be made; the status comes next.
    Supplied(Box<SyncState>, Box<Draft>),
    /// The last status.
    Settled(Box<SyncState>),
}

/// What a call is for, where its success leaves something behind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// Nothing.
    Plain,
    /// The status.
    Status,
    /// An object of a plugin, with the hosts of the job if it has them.
    Plugin(&'static str, Option<BTreeMap<String, String>>),
    /// A claim of a volume.
    Claim(String),
    /// The spec, with names of claims in it.
    Spec,
    /// A new pod: its task and its name.
    Pod(String, String),
}

/// Calls in batches, each with what it is for.
pub(crate) type Plan = Vec<Vec<(Call, Mark)>>;

#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub mark: Mark,
    pub verb: Verb,
    pub reason: &'static str,
}

/// Everything that the rest of a pass needs to know.
#[derive(Clone, Debug)]
pub(crate) struct SyncState {
    pub job: Arc<Job>,
    pub memory: Memory,
    pub findings: Findings,
    pub now: Timestamp,
    pub limits: Limits,
    pub expected: Vec<Vec<Expected>>,
    pub requeue: Requeue,
    /// The phase's function, to be asked when all calls went well.
    pub function: Option<(Cell, Goals)>,
    /// The version whose plugin objects the calls delete.
    pub tears_down: Option<i32>,
}

/// What calls came to.
#[derive(Default)]
pub(crate) struct Review {
    /// Marks of calls that went well, with the resourceVersion in the answer.
    pub achieved: Vec<(Mark, u64)>,
    pub failed: bool,
    /// Whether all that failed failed for a version.
    pub conflict: bool,
    pub notices: Vec<Notice>,
}

impl SyncState {
    pub fn new(job: Arc<Job>, memory: Memory, findings: Findings, now: Timestamp, limits: &Limits) -> Self {
        let requeue = findings.wake.map_or(Requeue::No, Requeue::After);
        let (limits, expected) = (*limits, Vec::new());
        Self { job, memory, findings, now, limits, expected, requeue, function: None, tears_down: None }
    }

    /// There is more to do than this pass does.
    pub fn goes_on_at_once(&mut self) {
        self.requeue = self.requeue.sooner(Requeue::After(SignedDuration::ZERO));
    }

    /// Something is wanting: the pass fails, whatever its calls come to.
    pub fn fails(&mut self) {
        self.requeue = Requeue::Failed;
    }

    /// The phase's function is asked once all calls went well.
    pub fn evaluates(&mut self, cell: Cell, goals: Goals) {
        self.function = Some((cell, goals));
    }

    /// The calls delete the objects of plugins.
    pub fn tears_down(&mut self, version: i32) {
        self.tears_down = Some(version);
    }

    /// A request that failed is tried again, where requests are what counts. Elsewhere what matters of them is in the memory.
    pub fn consumed(&self, failed: bool) -> usize {
        if failed && self.limits.profile.follows_requests() { 0 } else { self.findings.consumed }
    }

    /// What was acted on is done with.
    pub fn settle_occasion(&mut self) {
        self.memory.issued = None;
        let Some(occasion) = self.findings.occasion.take() else { return };
        if occasion.request.event == Some(Event::Unknown) {
            self.memory.unknown_acted = true;
        }
        self.memory.evictions.retain(|(request, _)| request.pod != occasion.request.pod);
        self.memory.timers.drop_class(&occasion.request, &occasion.action);
    }

    /// Whether the phase is another one than the stored one.
    pub fn moves(&self, phase: Phase) -> bool {
        self.job.status.as_ref().and_then(|status| status.state.phase) != Some(phase)
    }

    /// The write of the status, if it says something new.
    pub fn write(&self, draft: Draft) -> Option<Call> {
        let phase = draft.phase;
        let ends = matches!(phase, Phase::Completed | Phase::Failed) && self.moves(phase);
        let status = draft.status(&self.job, self.now, self.limits.profile)?;
        let based_on = self.job.metadata.resource_version.clone().unwrap_or_default();
        let new = NewStatus { status, based_on, notices: Vec::new(), ends: ends.then_some(phase) };
        Some(Call::WriteStatus(Box::new(new)))
    }

    /// Whether a write may wait since it tells of nothing but counters and the last one was just now; it is looked at again then.
    pub fn puts_off(&mut self, write: &Call) -> bool {
        let (Call::WriteStatus(new), Some(wrote)) = (write, self.memory.wrote) else { return false };
        let left = self.limits.counters.saturating_sub(self.now.duration_since(wrote));
        let old = self.job.status.clone().unwrap_or_default();
        let waits = left > SignedDuration::ZERO && status::differ_in_counters_only(&old, &new.status);
        if waits {
            self.requeue = self.requeue.sooner(Requeue::After(left));
        }
        waits
    }

    /// Splits a plan into calls and what is expected of them; batches without calls fall away.
    pub fn expect(&mut self, plan: Plan) -> Vec<Batch> {
        let plan = plan.into_iter().filter(|batch| !batch.is_empty());
        let expected = |(call, mark): &(Call, Mark)| Expected {
            mark: mark.clone(),
            verb: call.verb(),
            reason: call.failure_reason(),
        };
        let (expected, batches) = plan
            .map(|batch| {
                let marks: Vec<Expected> = batch.iter().map(expected).collect();
                (marks, batch.into_iter().map(|(call, _)| call).collect::<Batch>())
            })
            .unzip();
        self.expected = expected;
        batches
    }

    pub fn review(&self, outcomes: &[Vec<Outcome>]) -> Review {
        let mut review = Review { conflict: true, ..Review::default() };
        let mut told: BTreeMap<&'static str, &str> = BTreeMap::new();
        for (call, outcome) in self.pairs(outcomes) {
            if call.verb.is_achieved(outcome) {
                let revision = if let Outcome::Done { revision } = outcome { *revision } else { 0 };
                review.achieved.push((call.mark.clone(), revision));
                continue;
            }
            review.failed = true;
            match outcome {
                Outcome::Skipped | Outcome::Failed(Failure::Conflict) => {}
                Outcome::Failed(Failure::Other(why)) => {
                    review.conflict = false;
                    told.entry(call.reason).or_insert(why);
                }
                Outcome::Gone | Outcome::Exists | Outcome::Done { .. } => review.conflict = false,
            }
        }
        // One event for all calls that failed alike (VJ-164, VJ-193).
        review.notices = told.into_iter().map(|(reason, why)| failure(reason, why)).collect();
        review
    }

    pub fn pairs<'a>(&'a self, outcomes: &'a [Vec<Outcome>]) -> impl Iterator<Item = (&'a Expected, &'a Outcome)> {
        self.expected.iter().flatten().zip(outcomes.iter().flatten())
    }

    /// Plugins of which not every object is there.
    pub fn unmade(&self, outcomes: &[Vec<Outcome>]) -> BTreeSet<&'static str> {
        let unmade = self.pairs(outcomes).filter(|(call, outcome)| !call.verb.is_achieved(outcome));
        unmade.filter_map(|(call, _)| if let Mark::Plugin(name, _) = call.mark { Some(name) } else { None }).collect()
    }

    /// Whether a pod could not be made because there is one of its name. It was ours and the cache is late, or it never is.
    pub fn finds_names_taken(&self, outcomes: &[Vec<Outcome>]) -> bool {
        self.pairs(outcomes).any(|(call, outcome)| matches!(call.mark, Mark::Pod(..)) && *outcome == Outcome::Exists)
    }

    /// Remembers the job's new version; whether the status was written.
    pub fn take_over(&mut self, review: &Review) -> bool {
        let written = review.achieved.iter().filter(|(mark, _)| matches!(mark, Mark::Status | Mark::Spec));
        let newest = written.clone().map(|(_, revision)| *revision).max().unwrap_or_default();
        self.memory.written = self.memory.written.max(newest).max(revision(&self.job));
        let wrote = written.clone().any(|(mark, _)| *mark == Mark::Status);
        if wrote {
            self.memory.wrote = Some(self.now);
        }
        wrote
    }
}

/// The event about calls that failed.
fn failure(reason: &'static str, why: &str) -> Notice {
    match reason {
        "FailedCreate" => Notice::warning(reason, format!("Error creating pods: {why}")),
        "FailedDelete" => Notice::warning(reason, format!("Error deleting pods: {why}")),
        _ => Notice::warning(reason, why),
    }
}
