//! As many pods as are wanted, and no more: the scaling step.

use super::{
    super::{
        objects::{Owner, Phase, Pod, PodId},
        requests::{Answer, Ask, Stop, ask},
        world::World,
    },
    Controller, Look, Plan,
    plan::{counts_as_failure, pod},
};
use std::collections::BTreeSet;

/// A sync that has gone on for so long creates no more: what it has seen is old (in milliseconds).
const PATIENCE: u64 = 1200;

impl Controller {
    pub(super) fn scale(&mut self, world: &mut World, look: &Look, plan: &mut Plan) -> Result<(), Stop> {
        let active: Vec<PodId> = plan.active.iter().copied().collect();
        if look.job.spec.suspend {
            return self.take_away(world, look, plan, active);
        }
        let wanted = wanted(look, plan);
        let mut surplus = superfluous(world, look);
        let rest: Vec<PodId> = by_worth(world, look).into_iter().filter(|id| !surplus.contains(id)).collect();
        surplus.extend(rest.iter().take(rest.len().saturating_sub(wanted)));
        if !surplus.is_empty() {
            return self.take_away(world, look, plan, surplus);
        }
        let stopping = look.pods.iter().filter(|(_, pod)| pod.is_stopping()).count();
        let taken = active.len() + if look.job.only_failed() { stopping } else { 0 };
        self.create(world, look, plan, wanted.saturating_sub(taken))
    }

    /// Pods go without being counted: first the finalizer, then the pod (PAR-017).
    fn take_away(&mut self, world: &mut World, look: &Look, plan: &mut Plan, mut pods: Vec<PodId>) -> Result<(), Stop> {
        world.chance.shuffle(&mut pods);
        let all_first = world.chance.percent(40);
        let is_held = |controller: &mut Self, id: PodId| {
            pod(look, id).tracked && !controller.memory(look.id).released.contains(&id)
        };
        for id in pods.iter().filter(|_| all_first) {
            if is_held(self, *id) {
                self.release(world, look.id, *id)?;
            }
        }
        for id in pods {
            if is_held(self, id) {
                self.release(world, look.id, id)?;
            }
            self.stop(world, look.id, id)?;
            plan.active.remove(&id);
            plan.stopped.insert(id);
        }
        Ok(())
    }

    fn create(&mut self, world: &mut World, look: &Look, plan: &mut Plan, missing: usize) -> Result<(), Stop> {
        if look.job.spec.per_index.is_none() && world.now < plan.back_off.due() {
            return Ok(());
        }
        let mut pods = match look.job.spec.indexed {
            true => for_indexes(world, look, plan, missing),
            false => (0..missing).map(|_| made(look, None, None, 0)).collect(),
        };
        if world.chance.percent(world.profile.halfhearted) {
            pods.truncate(world.chance.below(u32::try_from(missing).unwrap_or(0) + 1) as usize);
        }
        for pod in pods {
            if world.now > look.now + PATIENCE {
                break;
            }
            let answer = ask(world, Ask::Create(pod))?;
            if let Answer::Taken(version) = answer {
                plan.created += 1;
                self.memory(look.id).pods_seen = version;
            }
            self.accept(world, look.id, answer)?;
        }
        Ok(())
    }
}

impl super::BackOff {
    /// Before this time, in milliseconds, nothing is replaced (BKO-006).
    pub(super) fn due(&self) -> u64 {
        match self.failures {
            0 => 0,
            failures => after(self.last, failures - 1),
        }
    }
}

/// The end of a delay that began at this second, after so many failures before.
fn after(finish: i64, before: u32) -> u64 {
    let delay = (10u64 << before.min(6)).min(600);
    (u64::try_from(finish).unwrap_or(0) + delay) * 1000
}

/// How many pods are to be active (PAR-001, PAR-002).
fn wanted(look: &Look, plan: &Plan) -> usize {
    let parallelism = usize::try_from(look.job.spec.parallelism).unwrap_or(0);
    let succeeded = plan.succeeded(look);
    match look.job.spec.completions {
        Some(count) => parallelism.min(usize::try_from(count).unwrap_or(0).saturating_sub(succeeded)),
        None if succeeded > 0 => plan.active.len().min(parallelism),
        None => parallelism,
    }
}

/// Those that nobody needs whatever is wanted: without a place, or the second of an index (IDX-012, IDX-013).
fn superfluous(world: &mut World, look: &Look) -> Vec<PodId> {
    if !look.job.spec.indexed {
        return Vec::new();
    }
    let mut kept = BTreeSet::new();
    // The worthiest first.
    let mut order = by_worth(world, look);
    order.reverse();
    order.into_iter().filter(|id| !look.has_place(pod(look, *id)) || !kept.insert(pod(look, *id).index)).collect()
}

/// Active pods, the least worth first (PAR-010); those that are alike in any order.
fn by_worth(world: &mut World, look: &Look) -> Vec<PodId> {
    let mut pods: Vec<PodId> = look.active().map(|(id, _)| *id).collect();
    world.chance.shuffle(&mut pods);
    pods.sort_by_key(|id| {
        let pod = pod(look, *id);
        (pod.assigned, pod.phase == Phase::Running, pod.ready)
    });
    pods
}

fn for_indexes(world: &mut World, look: &Look, plan: &Plan, missing: usize) -> Vec<Pod> {
    let only_failed = look.job.only_failed();
    let is_taken = |index: u32| {
        plan.completed.contains(&index)
            || plan.failed_indexes.contains(&index)
            || look
                .pods
                .iter()
                .any(|(_, pod)| pod.index == Some(index) && (pod.is_active() || (only_failed && pod.is_stopping())))
    };
    let free = (0..look.job.bound()).filter(|index| !is_taken(*index));
    if look.job.spec.per_index.is_none() {
        return free.take(missing).map(|index| made(look, Some(index), None, 0)).collect();
    }
    let now = world.now;
    let is_due = |made: &Option<Pod>| made.is_some();
    let next = free.map(|index| replacement(look, index, now));
    // Whether an index that waits holds up the others is open (BLI-014).
    match world.chance.percent(50) {
        true => next.take(missing).filter(is_due).flatten().collect(),
        false => next.filter(is_due).flatten().take(missing).collect(),
    }
}

/// The next pod of an index, if it does not have to wait (BLI-001, BLI-011, BLI-012).
fn replacement(look: &Look, index: u32, now: u64) -> Option<Pod> {
    let only_failed = look.job.only_failed();
    let ended =
        look.pods.iter().filter(|(_, pod)| pod.index == Some(index) && pod.has_failed(only_failed) && pod.tracked);
    let total = |pod: &Pod| pod.failures.unwrap_or(0) + pod.ignored;
    let Some((_, base)) = ended.max_by_key(|(id, pod)| (total(pod), pod.finish(), *id)) else {
        return Some(made(look, Some(index), Some(0), 0));
    };
    let counts = counts_as_failure(&look.job, base);
    let (failures, ignored) = (base.failures.unwrap_or(0), base.ignored);
    let next = if counts { (failures + 1, ignored) } else { (failures, ignored + 1) };
    (now >= after(base.finish(), total(base))).then(|| made(look, Some(index), Some(next.0), next.1))
}

/// A pod of the template, with what tracking needs.
fn made(look: &Look, index: Option<u32>, failures: Option<u32>, ignored: u32) -> Pod {
    let name = look.job.name;
    Pod {
        name: String::new(),
        prefix: index.map_or_else(|| format!("{name}-"), |index| format!("{name}-{index}-")),
        created: 0,
        owner: Owner::Job(look.id),
        labelled: look.id,
        index,
        failures,
        ignored,
        edition: look.job.spec.edition,
        by_script: false,
        edited: None,
        tracked: true,
        held: false,
        phase: Phase::Pending,
        assigned: false,
        ready: false,
        ready_since: 0,
        exit: None,
        ended: None,
        restarts: 0,
        disrupted: false,
        stop: None,
    }
}
