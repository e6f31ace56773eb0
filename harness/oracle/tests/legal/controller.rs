//! A controller that is free to do whatever a correct one may: made from the requirements, step by step as they have one sync
//! (section 2.0), and by no other controller.
//!
//! Free are: when it looks, how late its caches are, how much of a sync it does before it stops, which pods of several it takes,
//! in which order it releases them, whether it tells a decision before it acts on it, when it comes back after a failure.

mod accounts;
mod look;
mod plan;
mod scaling;
mod verdict;

pub use look::Look;
pub use verdict::Verdict;

use super::{
    ends::{Ends, Fate},
    objects::{JobId, Owner, PodId},
    requests::{Answer, Ask, Stop, ask},
    world::World,
};
use plan::Plan;
use std::collections::BTreeSet;

/// So long after the end of a delay it has seen to it for certain, in milliseconds.
const LOOKS_AGAIN: u64 = 6000;

/// What it remembers of a Job while it lives.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Its caches must have these before they can be relied on (SYN-014, SYN-021).
    job_seen: u64,
    pods_seen: u64,
    /// Whose finalizers it took (FIN-009).
    released: BTreeSet<PodId>,
    /// Whom it told to stop because the Job was decided.
    stopped: BTreeSet<PodId>,
    /// What it has decided, while that is not stored.
    verdict: Option<Verdict>,
    back_off: BackOff,
    /// Not before this time, and how often it failed in a row (SYN-005).
    not_before: u64,
    /// When it last wrote down that pods had failed, in milliseconds.
    failed_at: u64,
    tries: u32,
    /// Its terminal write (SYN-020).
    is_finished: bool,
}

/// Failures since the last success (BKO-006 to BKO-012).
#[derive(Clone, Debug, Default)]
struct BackOff {
    failures: u32,
    last: i64,
    known: BTreeSet<PodId>,
}

#[derive(Default)]
pub struct Controller {
    memory: Vec<Memory>,
    /// How far its caches are, of Jobs and of pods.
    jobs: u64,
    pods: u64,
    /// Retries of the orphans' queue (SYN-028).
    orphans_not_before: u64,
    /// Whether its watches of Jobs, and of pods, are held; until then.
    held: Option<([bool; 2], u64)>,
    /// Whom it ever told to stop because a Job was decided; a correct one counts none of them as failures, whatever it remembers.
    told_to_stop: BTreeSet<PodId>,
    pub ends: Ends,
}

impl Controller {
    /// Its caches move on, and are no later than they may be.
    pub fn listen(&mut self, world: &mut World) {
        self.hold(world);
        let floor = world.known(world.profile.lag);
        let held = self.held.map_or([false; 2], |(held, _)| held);
        for (cache, is_held) in [&mut self.jobs, &mut self.pods].into_iter().zip(held) {
            if is_held {
                continue;
            }
            let from = floor.max(*cache);
            let news = u32::try_from(world.revision - from).unwrap_or(0);
            let behind =
                if world.profile.lag > 0 && world.chance.percent(50) { world.chance.below(news + 1) } else { 0 };
            *cache = world.revision - u64::from(behind);
        }
    }

    /// Somebody holds what watches say, and lets them speak again.
    fn hold(&mut self, world: &mut World) {
        let words =
            |held: [bool; 2]| ["jobs", "pods"].into_iter().zip(held).filter(|(_, is_held)| *is_held).map(|(on, _)| on);
        match self.held {
            Some((held, until)) if until <= world.now => {
                self.held = None;
                words(held).for_each(|on| world.mark(&format!("watches speak again: {on}")));
            }
            None if world.profile.holds > 0 && world.chance.percent(8) => {
                world.profile.holds -= 1;
                let floor = world.known(world.profile.lag);
                (self.jobs, self.pods) = (self.jobs.max(floor), self.pods.max(floor));
                let held = world.chance.pick(&[[true, false], [false, true], [true, true]]);
                self.held = Some((held, world.now + u64::from(world.chance.below(2000))));
                words(held).for_each(|on| world.mark(&format!("watches held: {on}")));
            }
            _ => {}
        }
    }

    /// A new process: it remembers nothing, and has listed everything.
    pub fn is_born(&mut self, world: &World) {
        self.memory.clear();
        (self.jobs, self.pods) = (world.revision, world.revision);
        self.orphans_not_before = 0;
        self.held = None;
    }

    pub fn has_heard_all(&self, world: &World) -> bool {
        self.jobs == world.revision && self.pods == world.revision
    }

    /// Whether it has to wait before it tries this Job again.
    pub fn waits(&self, world: &World, id: JobId) -> bool {
        self.memory.get(id).is_some_and(|memory| memory.not_before > world.now)
    }

    /// Whether it has failed at something that it will try again.
    pub fn has_to_try_again(&self, world: &World) -> bool {
        self.orphans_not_before > world.now || (0..self.memory.len()).any(|id| self.waits(world, id))
    }

    /// Whether it holds a replacement back, or did so until a moment ago (BKO-006).
    pub fn is_delaying(&self, world: &World) -> bool {
        // A success in the same second may have ended the delay: then it is replaced at once.
        let due = |memory: &Memory| memory.back_off.due().max(memory.failed_at) + LOOKS_AGAIN;
        self.memory.iter().any(|memory| memory.failed_at > 0 && !memory.is_finished && due(memory) > world.now)
    }

    fn memory(&mut self, id: JobId) -> &mut Memory {
        if self.memory.len() <= id {
            self.memory.resize_with(id + 1, Memory::default);
        }
        &mut self.memory[id]
    }

    /// One look at a Job, and what comes of it.
    pub fn sync(&mut self, world: &mut World, id: JobId) -> Result<(), Stop> {
        let Some(look) = Look::take(self, world, id) else { return Ok(()) };
        let result = self.sync_seen(world, &look);
        let memory = self.memory(id);
        match result {
            Ok(()) => memory.tries = 0,
            Err(Stop::Failed) => {
                memory.tries += 1;
                let pause = 1000u64 << memory.tries.min(6).saturating_sub(1);
                memory.not_before = memory.not_before.max(world.now + pause.min(60_000));
            }
            Err(Stop::Crashed) => {}
        }
        result
    }

    fn sync_seen(&mut self, world: &mut World, look: &Look) -> Result<(), Stop> {
        if look.job.is_foreign() || self.memory(look.id).is_finished {
            return Ok(());
        }
        if look.job.status.is_finished() {
            return self.sweep(world, look);
        }
        // It waits until it sees what it has done; or it accounts for what it sees meanwhile (SYN-015).
        if !look.is_job_fresh || (!look.are_pods_fresh && world.chance.percent(50)) {
            return Ok(());
        }
        self.memory(look.id);
        let mut plan = Plan::of(look, &self.memory[look.id], &self.told_to_stop);
        let verdict = self.decide(world, look, &plan);
        match verdict {
            Some(verdict) => self.carry_out(world, look, &mut plan, &verdict),
            None => {
                if look.are_pods_fresh && look.job.deleted.is_none() {
                    self.scale(world, look, &mut plan)?;
                    if let Some(verdict) = verdict::completions(look, &plan) {
                        self.ends.looked(look.id, verdict::sources(look, &plan));
                        return self.carry_out(world, look, &mut plan, &verdict);
                    }
                    plan.suspension(look, world.profile.forgets_start);
                }
                self.account(world, look, &mut plan, None)
            }
        }
    }

    fn decide(&mut self, world: &mut World, look: &Look, plan: &Plan) -> Option<Verdict> {
        let known = self.memory(look.id).verdict.clone();
        let found = verdict::of(look, plan);
        match &found {
            Some(found) if found.is_stored => self.ends.looked_later(look.id, verdict::sources(look, plan)),
            Some(_) => self.ends.looked(look.id, verdict::sources(look, plan)),
            None => {}
        }
        // Whoever lives on may stay with what it has decided, while that is so; and must where it has acted on it.
        let has_acted = !self.memory(look.id).stopped.is_empty();
        match (known, found) {
            (Some(known), found) if !found.as_ref().is_some_and(|found| found.is_stored) => {
                let may_stay = verdict::is_still_so(&known, look, plan) && world.chance.percent(50);
                if has_acted || may_stay {
                    return Some(verdict::named_anew(known, look, plan));
                }
                self.memory(look.id).verdict = None;
                found
            }
            (_, found) => found,
        }
    }

    /// A finished Job's pods let go of what they should not have any more (FIN-011).
    fn sweep(&mut self, world: &mut World, look: &Look) -> Result<(), Stop> {
        for (id, _) in look.pods.iter().filter(|(_, pod)| pod.tracked) {
            if !self.memory(look.id).released.contains(id) {
                self.release(world, look.id, *id)?;
            }
        }
        Ok(())
    }

    /// Pods of Jobs that are not there, and of nobody (FIN-012, FIN-016).
    pub fn sync_orphans(&mut self, world: &mut World) -> Result<(), Stop> {
        if self.orphans_not_before > world.now {
            return Ok(());
        }
        let is_orphan = |owner: Owner| match owner {
            Owner::Job(job) => world.jobs[job].at(self.jobs).is_none() && world.jobs[job].gone.is_some(),
            Owner::Nobody => true,
            Owner::Other => false,
        };
        let seen = world.pods.iter().enumerate().filter_map(|(id, track)| Some((id, track.at(self.pods)?.1)));
        let orphans: Vec<PodId> =
            seen.filter(|(_, pod)| pod.tracked && is_orphan(pod.owner)).map(|(id, _)| id).collect();
        for id in orphans {
            if self.memory.iter().any(|memory| memory.released.contains(&id)) {
                continue;
            }
            let result = self.release(world, 0, id);
            if result == Err(Stop::Failed) {
                self.orphans_not_before = world.now + 4000;
            }
            result?;
        }
        Ok(())
    }

    /// Takes the tracking finalizer from a pod.
    fn release(&mut self, world: &mut World, job: JobId, pod: PodId) -> Result<(), Stop> {
        let answer = ask(world, Ask::Release(pod))?;
        if let Answer::Taken(version) = answer {
            let memory = self.memory(job);
            memory.pods_seen = memory.pods_seen.max(version);
        }
        if matches!(answer, Answer::Taken(_) | Answer::NotThere) {
            self.memory(job).released.insert(pod);
        }
        self.accept(world, job, answer)
    }

    /// Tells a pod to stop.
    fn stop(&mut self, world: &mut World, job: JobId, pod: PodId) -> Result<(), Stop> {
        let answer = ask(world, Ask::Stop(pod))?;
        if let Answer::Taken(version) = answer {
            let memory = self.memory(job);
            memory.pods_seen = memory.pods_seen.max(version);
        }
        self.accept(world, job, answer)
    }

    /// An answer that is none, or a bad one, ends the sync.
    fn accept(&mut self, world: &World, job: JobId, answer: Answer) -> Result<(), Stop> {
        let revision = world.revision;
        let memory = self.memory(job);
        match answer {
            Answer::Taken(_) | Answer::NotThere => return Ok(()),
            // What became of it is seen once the caches have all that was stored by now.
            Answer::Unknown => (memory.job_seen, memory.pods_seen) = (revision, revision),
            // A sync goes on after a refusal, and each has its own time.
            Answer::Refused(Some(seconds)) => {
                memory.not_before = memory.not_before.max(world.now + u64::from(seconds) * 1000 + 50);
            }
            Answer::Refused(None) | Answer::Conflict => {}
        }
        Err(Stop::Failed)
    }

    /// Writes the status if anything in it has changed (SYN-024, SYN-025).
    fn write(&mut self, world: &mut World, look: &Look, plan: &mut Plan) -> Result<(), Stop> {
        if plan.status == plan.stored {
            return Ok(());
        }
        let answer = ask(world, Ask::Write(look.id, plan.from, plan.status.clone()));
        let is_decision = plan.decides();
        let fate = match answer {
            Ok(Answer::Taken(_)) => Fate::Stored,
            Err(_) => Fate::Crashed,
            Ok(_) => Fate::Refused,
        };
        if is_decision {
            self.ends.written(look.id, fate);
        }
        if let Ok(Answer::Taken(version)) = answer {
            plan.from = version;
            plan.stored = plan.status.clone();
            let finished = plan.status.is_finished();
            let memory = self.memory(look.id);
            memory.job_seen = version;
            memory.back_off = plan.back_off.clone();
            if !plan.failures.is_empty() {
                memory.failed_at = world.now;
            }
            memory.is_finished |= finished;
            if is_decision {
                memory.verdict = None;
            }
        }
        match answer? {
            // The Job is gone: nothing is left to write.
            Answer::NotThere => Err(Stop::Failed),
            answer => self.accept(world, look.id, answer),
        }
    }
}
