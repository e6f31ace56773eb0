//! A pass from call to call: what is expected of each call, and what follows from the outcomes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, Event, Job};

use crate::call::Verb;
use crate::goals::Goals;
use crate::memory::revision;
use crate::occasion::Findings;
use crate::pod::PodPhase;
use crate::status::Draft;
use crate::transition::{self, Cell};
use crate::{Batch, Call, Decision, Failure, Limits, Memory, NewStatus, Notice, Outcome, Phase, Requeue};

/// The part of a sync that waits for outcomes.
#[derive(Clone, Debug)]
pub struct Rest(pub(crate) Stage);

/// What the outcomes are waited for.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// A Command was to be taken off the API.
    Ordered { memory: Box<Memory>, action: Action, catch_up: SignedDuration },
    /// Pods were to be killed, with the status among the calls.
    Killed(Box<Course>),
    /// What is missing was to be made; the status comes next.
    Supplied(Box<Course>, Box<Draft>),
    /// The last status.
    Settled(Box<Course>),
}

/// What a call is for, where its success leaves something behind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// Nothing.
    Plain,
    /// The status.
    Status,
    /// An object of a plugin.
    Plugin(&'static str),
    /// The hosts of the job.
    Hosts(BTreeMap<String, String>),
    /// A claim of a volume.
    Claim(String),
    /// The spec, with names of claims in it.
    Spec,
    /// A new pod of a task.
    Pod(String),
}

/// Calls in batches, each with what it is for.
pub(crate) type Plan = Vec<Vec<(Call, Mark)>>;

#[derive(Clone, Debug)]
struct Expected {
    mark: Mark,
    verb: Verb,
    reason: &'static str,
}

/// Everything that the rest of a pass needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    job: Arc<Job>,
    memory: Memory,
    findings: Findings,
    now: Timestamp,
    limits: Limits,
    expected: Vec<Vec<Expected>>,
    requeue: Requeue,
    /// The phase's function, to be asked when all calls went well.
    function: Option<(Cell, Goals)>,
    /// The version whose plugin objects the calls delete.
    tears_down: Option<i32>,
}

/// What calls came to.
#[derive(Default)]
struct Review {
    achieved: Vec<(Mark, u64)>,
    failed: bool,
    conflict: bool,
    notices: Vec<Notice>,
}

impl Rest {
    /// How the sync goes on. `outcomes` has one list per batch of the decision, with one outcome per call in the same
    /// order; calls that were not made are [`Outcome::Skipped`]. `now` is the time at which the outcomes were known.
    #[must_use]
    pub fn after(self, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        match self.0 {
            Stage::Ordered { memory, action, catch_up } => {
                ordered(*memory, action, catch_up, outcomes.first().and_then(|batch| batch.first()))
            }
            Stage::Killed(course) => course.killed(outcomes),
            Stage::Supplied(mut course, draft) => {
                course.now = course.now.max(now);
                course.supplied(*draft, outcomes)
            }
            Stage::Settled(course) => course.settled(outcomes),
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

impl Course {
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

    /// Status and kills in one go. What is decided is written before it is done: a write that fails has changed nothing, and
    /// calls that fail after it follow from it in the next pass. Release 1.15 has it the other way round (VJ-322), but for
    /// the `PodGroup` (VJ-341).
    pub fn kill(mut self, draft: Draft, kills: Vec<Call>, teardown: Vec<Call>, group: Option<Call>) -> Decision {
        let moved = self.moves(draft.phase);
        let status = self.write(draft);
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
        Decision { notices, batches, rest: Some(Rest(Stage::Killed(Box::new(self)))), ..Decision::idle(memory, 0) }
    }

    /// Calls first, and then the status that tells what they came to.
    pub fn supply(mut self, draft: Draft, plan: Plan) -> Decision {
        let batches = self.expect(plan);
        if batches.is_empty() {
            return self.supplied(draft, &[]);
        }
        let (memory, notices) = (self.memory.clone(), std::mem::take(&mut self.findings.notices));
        let rest = Some(Rest(Stage::Supplied(Box::new(self), Box::new(draft))));
        Decision { notices, batches, rest, ..Decision::idle(memory, 0) }
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
        let unmade: BTreeSet<&'static str> = self.unmade(outcomes);
        for (mark, _) in &review.achieved {
            match mark {
                Mark::Plugin(name) if !unmade.contains(name) => {
                    draft.resources.insert(crate::plugin::resource_key(name), (*name).to_owned());
                }
                Mark::Claim(name) => {
                    draft.resources.insert(format!("volume-pvc-{name}"), name.clone());
                }
                Mark::Hosts(hosts) => self.memory.hosts = Some(hosts.clone()),
                Mark::Pod(task) => draft.tally.add(task, PodPhase::Pending, false),
                Mark::Plain | Mark::Status | Mark::Spec | Mark::Plugin(_) => {}
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
        match self.write(draft).filter(|_| !outdated) {
            None => self.settled(&[]),
            Some(call) => {
                let batches = self.expect(vec![vec![(call, Mark::Status)]]);
                let (memory, notices) = (self.memory.clone(), std::mem::take(&mut self.findings.notices));
                Decision {
                    notices,
                    batches,
                    rest: Some(Rest(Stage::Settled(Box::new(self)))),
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

    /// A request that failed is tried again, where requests are what counts. Elsewhere what matters of them is in the memory.
    fn consumed(&self, failed: bool) -> usize {
        if failed && self.limits.profile.follows_requests() { 0 } else { self.findings.consumed }
    }

    /// What was acted on is done with.
    fn settle_occasion(&mut self) {
        self.memory.issued = None;
        let Some(occasion) = self.findings.occasion.take() else { return };
        if occasion.request.event == Some(Event::Unknown) {
            self.memory.unknown_acted = true;
        }
        self.memory.evictions.retain(|(request, _)| request.pod != occasion.request.pod);
        self.memory.timers.drop_class(&occasion.request, &occasion.action);
    }

    /// Whether the phase is another one than the stored one.
    fn moves(&self, phase: Phase) -> bool {
        self.job.status.as_ref().and_then(|status| status.state.phase) != Some(phase)
    }

    /// The write of the status, if it says something new.
    fn write(&self, draft: Draft) -> Option<Call> {
        let phase = draft.phase;
        let ends = matches!(phase, Phase::Completed | Phase::Failed) && self.moves(phase);
        let status = draft.status(&self.job, self.now, self.limits.profile)?;
        let based_on = self.job.metadata.resource_version.clone().unwrap_or_default();
        let new = NewStatus { status, based_on, notices: Vec::new(), ends: ends.then_some(phase) };
        Some(Call::WriteStatus(Box::new(new)))
    }

    /// Splits a plan into calls and what is expected of them; batches without calls fall away.
    fn expect(&mut self, plan: Plan) -> Vec<Batch> {
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

    fn review(&self, outcomes: &[Vec<Outcome>]) -> Review {
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

    fn pairs<'a>(&'a self, outcomes: &'a [Vec<Outcome>]) -> impl Iterator<Item = (&'a Expected, &'a Outcome)> {
        self.expected.iter().flatten().zip(outcomes.iter().flatten())
    }

    /// Plugins of which not every object is there.
    fn unmade(&self, outcomes: &[Vec<Outcome>]) -> BTreeSet<&'static str> {
        let unmade = self.pairs(outcomes).filter(|(call, outcome)| !call.verb.is_achieved(outcome));
        unmade.filter_map(|(call, _)| if let Mark::Plugin(name) = call.mark { Some(name) } else { None }).collect()
    }

    /// Remembers the job's new version; whether the status was written.
    fn take_over(&mut self, review: &Review) -> bool {
        let written = review.achieved.iter().filter(|(mark, _)| matches!(mark, Mark::Status | Mark::Spec));
        let newest = written.clone().map(|(_, revision)| *revision).max().unwrap_or_default();
        self.memory.written = self.memory.written.max(newest).max(revision(&self.job));
        written.clone().any(|(mark, _)| *mark == Mark::Status)
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
