//! What a scheduler of gangs does next: a value, made of what it sees.
//!
//! The rules are those of Volcano's scheduler with its gang, priority and overcommit plugins (VJ-268 to VJ-274), for one resource
//! and nodes that are one.

use super::{
    GangBehaviour, When,
    view::{Gang, Member, State},
};
use std::collections::{BTreeMap, BTreeSet};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The group is in this phase from now on.
    Phase { group: String, uid: String, phase: &'static str },
    /// The pod gets a place and starts.
    Start { pod: String, uid: String },
}

impl Step {
    /// Whom it is done to, by UID, and what.
    pub fn key(&self) -> (&str, &'static str) {
        match self {
            Self::Phase { uid, phase, .. } => (uid, phase),
            Self::Start { uid, .. } => (uid, "started"),
        }
    }
}

/// All that is to be done now.
pub(super) fn steps(gangs: &[Gang], behaviour: &GangBehaviour) -> Vec<Step> {
    let mut steps = Vec::new();
    let started = behaviour.room.map(|room| places(gangs, room)).unwrap_or_default();
    if behaviour.phases == When::AtOnce {
        let mut waiting_room = behaviour.room.map(|room| Queue::of(gangs, room));
        steps.extend(gangs.iter().filter_map(|gang| {
            let phase = if is_admitted(gang) {
                phase_of(gang, &started, behaviour.room.is_some())?
            } else if waiting_room.as_mut().is_none_or(|queue| queue.takes(gang)) {
                "Inqueue"
            } else {
                "Pending"
            };
            let step = Step::Phase { group: gang.name.clone(), uid: gang.uid.clone(), phase };
            (gang.phase != phase).then_some(step)
        }));
    }
    let pods = gangs.iter().flat_map(|gang| &gang.members).filter(|pod| started.contains(&pod.uid));
    steps.extend(pods.map(|pod| Step::Start { pod: pod.name.clone(), uid: pod.uid.clone() }));
    steps
}

/// Whether its pods may be there (VJ-162).
fn is_admitted(gang: &Gang) -> bool {
    !matches!(gang.phase.as_str(), "" | "Pending")
}

/// How an admitted group is, if that is not as before (VJ-272).
fn phase_of(gang: &Gang, started: &BTreeSet<String>, is_tight: bool) -> Option<&'static str> {
    let waits = |pod: &&Member| pod.state == State::Waiting && !started.contains(&pod.uid);
    let scheduled = gang.members.iter().filter(|pod| !waits(pod)).count();
    let ended = gang.members.iter().filter(|pod| pod.state == State::Ended).count();
    match () {
        () if ended > 0 && ended == gang.members.len() => Some("Completed"),
        () if scheduled > 0 && scheduled >= gang.min_member => Some("Running"),
        // Where there is room for everybody, what is missing will come.
        () if is_tight && scheduled > ended && gang.members.iter().any(|pod| waits(&pod)) => Some("Unknown"),
        () => None,
    }
}

/// Who may wait for a place: what all need at least is at most a fifth more than there is (VJ-269).
struct Queue {
    left: u64,
}

impl Queue {
    fn of(gangs: &[Gang], room: u64) -> Self {
        let promised = |gang: &Gang| used(gang).max(gang.min_cpu);
        let taken: u64 = gangs.iter().filter(|gang| is_admitted(gang)).map(promised).sum();
        Self { left: (room * 6 / 5).saturating_sub(taken) }
    }

    fn takes(&mut self, gang: &Gang) -> bool {
        let fits = gang.min_cpu <= self.left;
        if fits {
            self.left -= gang.min_cpu;
        }
        fits
    }
}

fn used(gang: &Gang) -> u64 {
    gang.members.iter().filter(|pod| pod.state == State::Placed).map(|pod| pod.cpu).sum()
}

/// Who gets a place: UIDs of pods. First each gang what makes it whole, or nothing (VJ-268); then one pod after another to whoever
/// has least (VJ-271).
fn places(gangs: &[Gang], room: u64) -> BTreeSet<String> {
    let mut free = room.saturating_sub(gangs.iter().map(used).sum());
    let mut chosen = BTreeSet::new();
    let admitted: Vec<&Gang> = gangs.iter().filter(|gang| is_admitted(gang)).collect();
    let mut whole: Vec<(&Gang, u64)> = Vec::new();
    for gang in admitted {
        let needed = needed(gang);
        let (cost, is_enough) = (needed.iter().map(|pod| pod.cpu).sum::<u64>(), makes_whole(gang, &needed));
        if is_enough && cost <= free {
            free -= cost;
            chosen.extend(needed.iter().map(|pod| pod.uid.clone()));
            whole.push((gang, used(gang) + cost));
        }
    }
    loop {
        whole.sort_by_key(|(_, share)| *share);
        let next = whole.iter().enumerate().find_map(|(at, (gang, _))| {
            let waiting = in_order(gang).into_iter().find(|pod| !chosen.contains(&pod.uid));
            waiting.filter(|pod| pod.cpu <= free).map(|pod| (at, pod))
        });
        let Some((at, pod)) = next else { return chosen };
        free -= pod.cpu;
        whole[at].1 += pod.cpu;
        chosen.insert(pod.uid.clone());
    }
}

/// Pods without a place, the most important first (VJ-270).
fn in_order(gang: &Gang) -> Vec<&Member> {
    let mut waiting: Vec<&Member> = gang.members.iter().filter(|pod| pod.state == State::Waiting).collect();
    waiting.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)));
    waiting
}

/// The pods that are missing from the gang's minimum: those that tasks need, then the most important.
fn needed(gang: &Gang) -> Vec<&Member> {
    let there = |task: Option<&str>| {
        let mut pods = gang.members.iter().filter(|pod| task.is_none_or(|task| pod.task == task));
        pods.by_ref().filter(|pod| pod.state != State::Waiting).count()
    };
    let missing = gang.min_member.saturating_sub(there(None));
    let mut of_tasks: BTreeMap<&str, usize> =
        gang.min_task_member.iter().map(|(task, min)| (task.as_str(), min.saturating_sub(there(Some(task))))).collect();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for pod in in_order(gang) {
        match of_tasks.get_mut(pod.task.as_str()).filter(|missing| **missing > 0) {
            Some(missing) => {
                *missing -= 1;
                first.push(pod);
            }
            None => rest.push(pod),
        }
    }
    let more = missing.saturating_sub(first.len());
    first.extend(rest.into_iter().take(more));
    first
}

/// Whether the gang has its minimum with these pods.
fn makes_whole(gang: &Gang, more: &[&Member]) -> bool {
    let placed = |pod: &&Member| pod.state != State::Waiting;
    let all: Vec<&Member> = gang.members.iter().filter(placed).chain(more.iter().copied()).collect();
    let of = |task: &str| all.iter().filter(|pod| pod.task == task).count();
    all.len() >= gang.min_member && gang.min_task_member.iter().all(|(task, min)| of(task) >= *min)
}

#[cfg(test)]
mod tests;
