//! What is to be acted on, as it follows from what is there (VJ-195, VJ-199, VJ-201, VJ-202).
//!
//! Events that leave a trace are read off the trace: a failed pod is there, a waiting one says since when. So none is lost
//! while the controller is down, none is acted on twice (its pods go, or their version becomes an old one), and a delay ends
//! when it should whoever asks. Evictions leave none; they come as requests, and a pod that stands in for an evicted one
//! carries the time where it is needed.

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, Event, PodGroup, PodGroupPhase};

use crate::census::Census;
use crate::event::{TaskFacts, has_failed, is_complete};
use crate::goals::Goals;
use crate::pod::PodPhase;
use crate::policy::choose_action;
use crate::spent::Spent;
use crate::{Memory, Notice, Phase, PodView, Profile, Request, Snapshot, kill, names, status};

/// Something to act on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Occasion {
    pub request: Request,
    pub action: Action,
}

/// What a look for occasions came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub occasion: Option<Occasion>,
    pub notices: Vec<Notice>,
    /// The time until the next delay ends.
    pub wake: Option<SignedDuration>,
    /// Requests that are done with; what of them still matters is in the memory.
    pub consumed: usize,
    /// Whether there is nothing to look at either.
    pub idle: bool,
}

/// When something happened, as far as what is left of it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// We saw it happen.
    Exactly(Timestamp),
    /// An object says so, or says nothing.
    Wire(Option<Timestamp>),
}

/// Above so many the list of what was told starts anew: some events are sent twice.
const MOST_TOLD: usize = 1000;

struct Search<'a> {
    seen: &'a Snapshot<'a>,
    census: &'a Census<'a>,
    spent: &'a Spent,
    goals: &'a Goals,
    profile: Profile,
    now: Timestamp,
    version: i32,
}

/// Looks for the occasion whose time came first; explicit orders come before all.
pub(crate) fn find(
    seen: &Snapshot<'_>,
    census: &Census<'_>,
    spent: &Spent,
    goals: &Goals,
    memory: &mut Memory,
    now: Timestamp,
    profile: Profile,
) -> Findings {
    if let Some(action) = memory.issued.clone() {
        let occasion = Some(Occasion { request: Request::command(action.clone()), action });
        return Findings { occasion, ..Findings::default() };
    }
    let status = seen.job.status.clone().unwrap_or_default();
    let consumed = seen.requests.len();
    // Elsewhere policies have nothing to say: what comes next is settled.
    if !matches!(status.state.phase, Some(Phase::Pending | Phase::Running | Phase::Restarting)) {
        (memory.evictions, memory.looked) = (Vec::new(), true);
        return Findings { consumed, ..Findings::default() };
    }
    let search = Search { seen, census, spent, goals, profile, now, version: status.version };
    search.note_evictions(memory);
    search.note_group(memory);
    if memory.told.len() > MOST_TOLD {
        memory.told.clear();
    }
    let mut findings = Findings { consumed, ..Findings::default() };
    let mut first: Option<(Timestamp, Occasion)> = None;
    for (request, since) in search.events(memory) {
        let choice = choose_action(seen.job, &request, profile);
        if choice.action == Action::SyncJob || search.is_void(&choice.action, &request) {
            continue;
        }
        let key = since.key(&request, &choice.action);
        let first_seen = memory.told.get(&key).copied().unwrap_or(now);
        let due = since.at_latest(first_seen).saturating_add(choice.delay).unwrap_or(Timestamp::MAX);
        if due > now {
            let left = due.duration_since(now);
            findings.wake = Some(findings.wake.map_or(left, |wake| wake.min(left)));
            if memory.told.insert(key, first_seen).is_none() {
                findings.notices.push(Notice::waits(&choice.action, choice.delay));
            }
        } else if first.as_ref().is_none_or(|(sooner, _)| due < *sooner) {
            first = Some((due, Occasion { request, action: choice.action }));
        }
    }
    findings.occasion = first.map(|(_, occasion)| occasion);
    findings
}

impl Since {
    /// What an event is told by, so that it is told once: one of a known time is the same whichever pod shows it.
    fn key(self, request: &Request, action: &Action) -> String {
        let pod = request.pod.as_ref();
        match self {
            Self::Exactly(at) => format!("{:?} {:?} {action} {at}", pod.map(|(name, _)| name), request.event),
            Self::Wire(_) => format!("{pod:?} {:?} {action}", request.event),
        }
    }

    /// No delay may end too early (VJ-195): times on the wire have whole seconds, and what happened in one may have happened at
    /// its end. But nothing happened after it was seen, whatever the clock of a node says.
    fn at_latest(self, first_seen: Timestamp) -> Timestamp {
        let end = match self {
            Self::Exactly(at) => at,
            Self::Wire(Some(at)) if at.subsec_nanosecond() == 0 => {
                at.saturating_add(SignedDuration::from_secs(1)).unwrap_or(at)
            }
            Self::Wire(Some(at)) => at,
            Self::Wire(None) => first_seen,
        };
        end.min(first_seen)
    }
}

impl<'a> Search<'a> {
    /// All that happened and is not settled, each with its time.
    fn events(&self, memory: &mut Memory) -> Vec<(Request, Since)> {
        let evictions = memory.evictions.iter().cloned();
        let mut events: Vec<_> = evictions.map(|(request, at)| (request, Since::Exactly(at))).collect();
        for pod in self.census.pods.iter().filter(|pod| self.speaks(pod)) {
            let about = |event| Request::about(pod, event, self.profile);
            match pod.phase {
                PodPhase::Failed => events.push((about(Event::PodFailed), Since::Wire(pod.finished))),
                PodPhase::Pending => events.push((about(Event::PodPending), Since::Wire(Some(pod.created)))),
                _ => {}
            }
        }
        // One that goes again before it ran is no end of the wait (VJ-196).
        for pod in self.census.pods.iter().filter(|pod| self.is_own(pod) && pod.phase == PodPhase::Pending) {
            let evicted = pod.evicted_at.map(|at| (Request::about(pod, Event::PodEvicted, self.profile), at));
            events.extend(evicted.map(|(request, at)| (request, Since::Exactly(at))));
        }
        for task in &self.goals.tasks {
            events.extend(self.of_task(&task.name, memory));
        }
        if let Some(since) = memory.unknown_since.filter(|_| !memory.unknown_acted) {
            events.push((Request { event: Some(Event::Unknown), ..Request::default() }, Since::Exactly(since)));
        }
        events
    }

    /// Whether what a pod shows is news: it is of this version, and nobody deletes it (VJ-128, VJ-138).
    fn speaks(&self, pod: &PodView) -> bool {
        !pod.deleting && self.is_own(pod)
    }

    /// Whether it is of this version, and not on its way out by our own doing.
    fn is_own(&self, pod: &PodView) -> bool {
        !pod.out_of_sync && pod.version >= self.version
    }

    /// `TaskCompleted` and `TaskFailed` (VJ-123, VJ-126).
    fn of_task(&self, task: &str, memory: &mut Memory) -> Vec<(Request, Since)> {
        let Some(goal) = self.goals.task(task) else { return Vec::new() };
        let pods = || self.census.of_task(task).filter(|pod| !pod.deleting);
        let succeeded = pods().filter(|pod| pod.phase == PodPhase::Succeeded).count();
        let runs = |pod: &&PodView| matches!(pod.phase, PodPhase::Running | PodPhase::Pending) && self.speaks(pod);
        let facts = TaskFacts {
            replicas: goal.replicas,
            succeeded: i32::try_from(succeeded).unwrap_or(i32::MAX).saturating_add(self.spent.count(task)),
            max_restarts: goal.max_restarts,
            restarts: pods().filter(runs).fold(0, |sum, pod| sum.saturating_add(pod.restarts)),
        };
        let mut events = Vec::new();
        let ended = |pod: &&PodView| pod.finished.unwrap_or(pod.created);
        // The last one to succeed speaks for the task.
        let last = pods().filter(|pod| pod.phase == PodPhase::Succeeded && self.speaks(pod)).max_by_key(ended);
        if let Some(pod) = last.filter(|_| is_complete(facts)) {
            events.push((Request::about(pod, Event::TaskCompleted, self.profile), Since::Wire(pod.finished)));
        }
        let weakest = pods().filter(runs).max_by_key(|pod| pod.restarts);
        match weakest.filter(|_| has_failed(facts)) {
            Some(pod) => {
                // Further restarts do not put off what the first ones have started.
                let restarted = Since::Wire(pod.restarted).at_latest(self.now);
                let since = *memory.failed_since.entry(task.to_owned()).or_insert(restarted);
                events.push((Request::about(pod, Event::TaskFailed, self.profile), Since::Exactly(since)));
            }
            None => {
                memory.failed_since.remove(task);
            }
        }
        events
    }

    /// A restart of a partition that has no pods is none at all (VJ-156).
    fn is_void(&self, action: &Action, request: &Request) -> bool {
        let meant = |pod: &&PodView| !pod.deleting && kill::is_meant(pod, action, request, self.profile);
        *action == Action::RestartPartition && !self.census.pods.iter().copied().any(|pod| meant(&pod))
    }

    /// Takes evictions into memory until a new pod carries them or none is needed; so too those that nobody saw happen.
    fn note_evictions(&self, memory: &mut Memory) {
        let evictions = self.seen.requests.iter().filter(|request| request.event == Some(Event::PodEvicted));
        let unseen = if memory.looked { Vec::new() } else { self.unseen() };
        memory.looked = true;
        for request in evictions.cloned().chain(unseen) {
            if !memory.evictions.iter().any(|(known, _)| known.pod == request.pod) {
                let since = request.missing_since.unwrap_or(self.now);
                memory.evictions.push((request, since));
            }
        }
        let has_successor = |request: &Request| {
            let name = request.pod.as_ref().map(|(name, _)| name);
            name.and_then(|name| self.census.named(name)).is_some_and(|pod| pod.evicted_at.is_some())
        };
        // Without a policy an eviction only leaves a place to fill.
        let matters = |request: &Request| choose_action(self.seen.job, request, self.profile).action != Action::SyncJob;
        memory.evictions.retain(|(request, _)| matters(request) && !has_successor(request));
    }

    /// Pods that the status tells of and that are gone: somebody deleted them while no controller watched. It says how
    /// many of a task, not which; the first free place stands for each.
    fn unseen(&self) -> Vec<Request> {
        let recorded = status::recorded(self.seen.job);
        let mut unseen = Vec::new();
        for task in &self.goals.tasks {
            let counted = recorded.tasks.get(&task.name).into_iter().flatten();
            let counted = counted.fold(0i32, |sum, (_, count)| sum.saturating_add(*count)).min(task.replicas);
            let there = i32::try_from(self.census.of_task(&task.name).count()).unwrap_or(i32::MAX);
            let done = self.spent.count(&task.name);
            let gone = usize::try_from(counted.saturating_sub(there).saturating_sub(done)).unwrap_or_default();
            let free = (0..task.replicas).map(|index| (index, names::pod(self.seen.job, &task.name, index)));
            let is_free = |(index, name): &(i32, String)| {
                self.census.named(name).is_none() && !self.spent.contains(&task.name, *index)
            };
            for (_, name) in free.filter(is_free).take(gone) {
                unseen.push(Request {
                    event: Some(Event::PodEvicted),
                    version: self.version,
                    task: Some(task.name.clone()),
                    pod: Some((name.into(), "".into())),
                    ..Request::default()
                });
            }
        }
        unseen
    }

    /// Keeps since when the group is Unknown; what was acted on once is not acted on again before it was something else
    /// (VJ-129, VJ-140).
    fn note_group(&self, memory: &mut Memory) {
        let group = self.seen.group.and_then(|group: &PodGroup| group.status.as_ref());
        let unknown = group.filter(|status| status.phase == Some(PodGroupPhase::Unknown));
        let Some(status) = unknown else {
            (memory.unknown_since, memory.unknown_acted) = (None, false);
            return;
        };
        let told = status.conditions.iter().filter(|condition| condition.type_ == "Unschedulable");
        let told = told.filter_map(|condition| Some(condition.last_transition_time.as_ref()?.0)).max();
        memory.unknown_since.get_or_insert(Since::Wire(told).at_latest(self.now));
    }
}
