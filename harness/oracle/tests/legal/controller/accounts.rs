//! Pods that have ended are written down, let go, and counted; in the end the Job is finished (FIN-002, step 9 to 12).

use super::{
    super::{
        objects::{Condition, Phase, Pod, PodId},
        requests::Stop,
        world::World,
    },
    Controller, Look, Plan, Verdict,
    plan::counts_as_failure,
    verdict,
};

impl Controller {
    /// What was decided is told and done.
    pub(super) fn carry_out(
        &mut self,
        world: &mut World,
        look: &Look,
        plan: &mut Plan,
        verdict: &Verdict,
    ) -> Result<(), Stop> {
        if !verdict.is_stored {
            // Nothing is declared while it does not see what it has done (step 7).
            if !look.are_pods_fresh {
                return self.account(world, look, plan, None);
            }
            let is_latest = world.jobs[look.id].now().is_some() && world.jobs[look.id].version() == look.from;
            if !world.profile.tells_first && is_latest && !plan.active.is_empty() {
                return self.act_then_tell(world, look, plan, verdict);
            }
            plan.tell(look, verdict);
            self.memory(look.id).verdict = Some(verdict.clone());
            if !plan.active.is_empty() {
                let ended: Vec<PodId> = plan.successes.iter().chain(&plan.failures).copied().collect();
                self.record(look, plan, verdict, &ended);
                plan.census(look);
                self.write(world, look, plan)?;
                if world.chance.percent(world.profile.halfhearted) {
                    return Ok(());
                }
            }
        }
        self.stop_all(world, look, plan)?;
        self.account(world, look, plan, Some(verdict))
    }

    /// Pods are stopped, then the decision is written, in one go.
    fn act_then_tell(
        &mut self,
        world: &mut World,
        look: &Look,
        plan: &mut Plan,
        verdict: &Verdict,
    ) -> Result<(), Stop> {
        self.memory(look.id).verdict = Some(verdict.clone());
        world.is_calm = true;
        let result = self.stop_all(world, look, plan).and_then(|()| {
            plan.tell(look, verdict);
            let ended: Vec<PodId> = plan.successes.iter().chain(&plan.failures).copied().collect();
            self.record(look, plan, verdict, &ended);
            plan.census(look);
            self.write(world, look, plan)
        });
        world.is_calm = false;
        result?;
        self.account(world, look, plan, Some(verdict))
    }

    /// All active pods are told to stop; they keep their finalizers.
    fn stop_all(&mut self, world: &mut World, look: &Look, plan: &mut Plan) -> Result<(), Stop> {
        let mut active: Vec<PodId> = plan.active.iter().copied().collect();
        world.chance.shuffle(&mut active);
        for id in active {
            self.memory(look.id).stopped.insert(id);
            self.told_to_stop.insert(id);
            self.stop(world, look.id, id)?;
            plan.active.remove(&id);
            plan.stopped.insert(id);
        }
        Ok(())
    }

    /// Status, finalizers, status.
    pub(super) fn account(
        &mut self,
        world: &mut World,
        look: &Look,
        plan: &mut Plan,
        verdict: Option<&Verdict>,
    ) -> Result<(), Stop> {
        let mut batch = self.due(look, plan, verdict);
        world.chance.shuffle(&mut batch);
        if plan.decides() || !world.chance.percent(world.profile.halfhearted) {
            // All of them.
        } else {
            batch.truncate(world.chance.below(u32::try_from(batch.len()).unwrap_or(0) + 1) as usize);
        }
        match verdict {
            Some(verdict) => self.record(look, plan, verdict, &batch),
            None => self.note(look, plan, &batch),
        }
        plan.census(look);
        if let Some(verdict) = verdict {
            self.finish(world, look, plan, verdict);
        }
        self.write(world, look, plan)?;
        if world.chance.percent(world.profile.halfhearted) {
            return Ok(());
        }
        let released = self.let_go(world, look, &batch);
        if released == Err(Stop::Crashed) {
            return released;
        }
        self.count(look, plan);
        if let Some(verdict) = verdict {
            self.finish(world, look, plan, verdict);
        }
        self.write(world, look, plan)?;
        released
    }

    /// Those that may be let go of (step 9).
    fn due(&mut self, look: &Look, plan: &Plan, verdict: Option<&Verdict>) -> Vec<PodId> {
        let only_failed = look.job.only_failed();
        let released = self.memory(look.id).released.clone();
        let is_due = |id: PodId, pod: &Pod| {
            look.job.deleted.is_some()
                || verdict.is_some()
                || pod.phase == Phase::Succeeded
                || (pod.has_failed(only_failed) && !is_held_back(look, plan, id, pod))
        };
        let held = look.pods.iter().filter(|(id, pod)| pod.tracked && !released.contains(id));
        held.filter(|(id, pod)| is_due(*id, pod)).map(|(id, _)| *id).collect()
    }

    /// What these pods did, for a Job that is not decided.
    fn note(&self, look: &Look, plan: &mut Plan, batch: &[PodId]) {
        let only_failed = look.job.only_failed();
        for (id, pod) in look.pods.iter().filter(|(id, _)| batch.contains(id)) {
            if plan.status.is_uncounted(*id) || !look.has_place(pod) {
                continue;
            }
            if pod.phase == Phase::Succeeded {
                succeeded(plan, *id, pod);
            } else if pod.has_failed(only_failed) {
                failed(look, plan, *id, pod);
            }
        }
        plan.settle_indexes(look);
    }

    /// What these pods did, for a Job that is decided.
    fn record(&self, look: &Look, plan: &mut Plan, verdict: &Verdict, batch: &[PodId]) {
        let only_failed = look.job.only_failed();
        if !verdict.is_stored {
            plan.take_indexes(look);
        }
        for (id, pod) in look.pods.iter().filter(|(id, _)| batch.contains(id)) {
            // A deletion that was refused has stopped nobody: how such a pod fails is its own doing, and counts (FIN-002).
            let was_stopped = pod.stop.is_some() && self.told_to_stop.contains(id);
            if plan.status.is_uncounted(*id) || !look.has_place(pod) {
                continue;
            }
            if pod.phase == Phase::Succeeded {
                succeeded(plan, *id, pod);
            } else if !verdict.succeeds {
                if pod.has_failed(only_failed) || !pod.is_terminal() {
                    failed(look, plan, *id, pod);
                }
            } else {
                let by_itself = pod.phase == Phase::Failed && !was_stopped;
                let before = pod.has_failed(only_failed) && plan.failures.contains(id) && !verdict.is_stored;
                if by_itself || before {
                    failed(look, plan, *id, pod);
                }
            }
        }
        plan.settle_indexes(look);
    }

    /// Finalizers go, in whatever order; what fails does not keep the others.
    fn let_go(&mut self, world: &mut World, look: &Look, batch: &[PodId]) -> Result<(), Stop> {
        let mut result = Ok(());
        for id in batch {
            match self.release(world, look.id, *id) {
                Ok(()) => {}
                Err(Stop::Failed) => result = Err(Stop::Failed),
                Err(Stop::Crashed) => return Err(Stop::Crashed),
            }
        }
        result
    }

    /// UIDs whose finalizers went in this sync leave the ledger.
    fn count(&mut self, look: &Look, plan: &mut Plan) {
        let released = &self.memory(look.id).released;
        let status = &mut plan.status;
        let leave = |list: &mut std::collections::BTreeSet<PodId>| {
            let before = list.len();
            list.retain(|id| !released.contains(id));
            before - list.len()
        };
        let succeeded = leave(&mut status.uncounted_succeeded);
        if !look.job.spec.indexed {
            status.succeeded += succeeded;
        }
        status.failed += leave(&mut status.uncounted_failed);
    }

    /// The terminal condition, if nothing is left (step 12).
    fn finish(&mut self, world: &mut World, look: &Look, plan: &mut Plan, verdict: &Verdict) {
        let released = &self.memory(look.id).released;
        let is_left = look.pods.iter().any(|(id, pod)| {
            !pod.is_terminal() || (pod.tracked && !released.contains(id)) || plan.stopped.contains(id)
        });
        let is_open = !plan.status.uncounted_succeeded.is_empty() || !plan.status.uncounted_failed.is_empty();
        let is_late = world.chance.percent(world.profile.halfhearted);
        if is_left || is_open || is_late || !look.are_pods_fresh || plan.created > 0 || plan.status.is_finished() {
            return;
        }
        let now = world.seconds();
        plan.status.conditions.push(Condition {
            kind: verdict.terminal(),
            holds: true,
            reason: verdict.reason,
            message: verdict.message.clone(),
            since: now,
        });
        plan.status.completion = verdict.succeeds.then_some(now);
        // The API server wants a start even where a suspension has cleared it (VST-110).
        let never_began = look.job.spec.suspend && look.job.spec.completions == Some(0);
        if plan.status.start.is_none() && !never_began {
            plan.status.start = Some(now);
        }
    }
}

impl Plan {
    /// The decision stands in the status.
    fn tell(&mut self, look: &Look, verdict: &Verdict) {
        self.status.conditions.push(Condition {
            kind: verdict.interim(),
            holds: true,
            reason: verdict.reason,
            message: verdict.message.clone(),
            since: look.seconds,
        });
    }

    /// All indexes of this look stand in the status, as the decision was made on them.
    fn take_indexes(&mut self, look: &Look) {
        if look.job.spec.indexed {
            self.status.completed = self.completed.clone();
            if look.job.spec.per_index.is_some() {
                self.status.failed_indexes = Some(self.failed_indexes.clone());
            }
        }
    }

    /// IDX-016.
    fn settle_indexes(&mut self, look: &Look) {
        if look.job.spec.indexed {
            self.status.succeeded = self.status.completed.len();
        }
    }
}

fn succeeded(plan: &mut Plan, id: PodId, pod: &Pod) {
    match pod.index {
        Some(index) => {
            if !plan.status.failed_indexes.as_ref().is_some_and(|failed| failed.contains(&index)) {
                plan.status.completed.insert(index);
            }
        }
        None => drop(plan.status.uncounted_succeeded.insert(id)),
    }
}

fn failed(look: &Look, plan: &mut Plan, id: PodId, pod: &Pod) {
    if counts_as_failure(&look.job, pod) {
        plan.status.uncounted_failed.insert(id);
    }
    if let Some((limit, index)) = look.job.spec.per_index.zip(pod.index)
        && verdict::ends_index(&look.job, pod, limit)
        && !plan.status.completed.contains(&index)
        && let Some(failed) = plan.status.failed_indexes.as_mut()
    {
        failed.insert(index);
    }
}

/// A failed pod that carries the count of its index until there is another (BLI-010).
fn is_held_back(look: &Look, plan: &Plan, id: PodId, pod: &Pod) -> bool {
    let Some(index) = pod.index.filter(|_| look.job.spec.per_index.is_some() && look.has_place(pod)) else {
        return false;
    };
    let is_settled = plan.completed.contains(&index) || plan.failed_indexes.contains(&index);
    let is_active = look.active().any(|(_, other)| other.index == Some(index));
    let rank = |id: PodId, pod: &Pod| (pod.failures.unwrap_or(0) + pod.ignored, pod.finish(), id);
    let only_failed = look.job.only_failed();
    let mut others = look.pods.iter().filter(|(_, other)| other.index == Some(index) && other.tracked);
    let is_base = others.all(|(other, seen)| !seen.has_failed(only_failed) || rank(*other, seen) <= rank(id, pod));
    !is_settled && !is_active && is_base
}
