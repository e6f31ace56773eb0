//! The one entry: what is seen becomes batches of calls.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, JobStatus};

use crate::census::Census;
use crate::goals::Goals;
use crate::memory::ExpectedPod;
use crate::occasion::{Findings, Occasion};
use crate::pod::PodPhase;
use crate::spent::Spent;
use crate::status::{self, Draft};
use crate::sync_state::{Awaited, SyncState};
use crate::transition::{self, Kill, Pass};
use crate::{
    Awaiting, Call, Decision, Limits, Memory, Notice, Phase, PodView, Requeue, Snapshot, Tally, Uid, backlog, kill,
    names, occasion, plugin,
};

/// Everything that one pass knows.
pub(crate) struct SyncContext<'a> {
    pub seen: &'a Snapshot<'a>,
    pub status: JobStatus,
    pub phase: Phase,
    pub goals: Goals,
    pub census: Census<'a>,
    pub spent: Spent,
    /// Pods that were created and not seen yet.
    pub births: BTreeMap<String, ExpectedPod>,
    pub now: Timestamp,
    pub limits: &'a Limits,
}

/// One look at a job. What comes after the outcomes of its calls is asked of [`Decision::awaiting`].
#[must_use]
pub fn sync(seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, limits: &Limits) -> Decision {
    let mut memory = memory.of(seen.job);
    if memory.is_ahead_of(seen.job) {
        return Decision { requeue: Requeue::After(limits.catch_up), ..Decision::idle(memory, 0) };
    }
    if let Some(order) = seen.commands.first().filter(|_| memory.issued.is_none()) {
        let stage = Awaited::Ordered {
            memory: Box::new(memory.clone()),
            action: order.action.clone(),
            catch_up: limits.catch_up,
        };
        let call = Call::DeleteCommand { name: order.name.clone(), uid: order.uid.clone() };
        return Decision { batches: vec![vec![call]], awaiting: Some(Awaiting(stage)), ..Decision::idle(memory, 0) };
    }
    // What is being deleted is left alone (VJ-157).
    if seen.job.metadata.deletion_timestamp.is_some() {
        memory.issued = None;
        return Decision::idle(memory, seen.requests.len());
    }
    let status = seen.job.status.clone().unwrap_or_default();
    memory.look_for_births(seen, now, limits.expectations);
    let (goals, census) = (Goals::of(&seen.job.spec), Census::take(seen));
    let spent = match limits.profile.repeats_lost_successes() {
        true => Spent::default(),
        false => Spent::of(seen, &census, &goals, &mut memory),
    };
    let births = memory.created.clone();
    let context = SyncContext {
        seen,
        phase: status.state.phase.unwrap_or(Phase::Pending),
        status,
        goals,
        census,
        spent,
        births,
        now,
        limits,
    };
    if context.status.state.phase.is_none() {
        return context.begin(memory);
    }
    let findings = match limits.profile.follows_requests() {
        true => backlog::next(seen, &mut memory, now, limits),
        false => {
            occasion::find(seen, &context.census, &context.spent, &context.goals, &mut memory, now, limits.profile)
        }
    };
    context.act(memory, findings)
}

impl SyncContext<'_> {
    /// The first sight of a job: it is Pending from now on (VJ-161).
    fn begin(self, memory: Memory) -> Decision {
        let mut draft = Draft::unchanged(self.seen.job, Phase::Pending, self.census.tally(&BTreeSet::new()));
        draft.reason = Some((String::new(), String::new()));
        if !self.limits.profile.follows_requests() {
            plugin::announce(self.seen.job, &mut draft.resources);
        }
        let findings = Findings { wake: Some(SignedDuration::ZERO), ..Findings::default() };
        self.sync_state(memory, findings).supply(draft, Vec::new())
    }

    fn act(self, memory: Memory, mut findings: Findings) -> Decision {
        if !self.seen.commands.is_empty() {
            // The next Command is taken as soon as this pass is over.
            findings.wake = Some(SignedDuration::ZERO);
        }
        if !memory.created.is_empty() {
            let patience = self.limits.expectations;
            findings.wake = Some(findings.wake.map_or(patience, |wake| wake.min(patience)));
        }
        if findings.idle {
            let requeue = findings.wake.map_or(Requeue::No, Requeue::After);
            let notices = findings.notices;
            return Decision { notices, requeue, ..Decision::idle(memory, findings.consumed) };
        }
        let occasion = findings.occasion.clone().filter(|occasion| !self.is_no_op(occasion));
        findings.occasion.clone_from(&occasion);
        let action = occasion.as_ref().map_or(Action::SyncJob, |occasion| occasion.action.clone());
        if action != Action::SyncJob {
            findings.notices.push(Notice::starts(&action));
        }
        let cell = transition::cell(self.limits.profile, self.phase, &action);
        match cell.pass {
            Pass::Sync | Pass::Kill(Kill::Targeted)
                if self.phase == Phase::Restarting && !self.limits.profile.follows_requests() =>
            {
                self.wind_down(memory, findings, cell)
            }
            Pass::Sync => self.supply(memory, findings, cell),
            Pass::Kill(kind) => self.kill(memory, findings, cell, kind, &action),
        }
    }

    /// A restart of a partition without pods (VJ-156).
    fn is_no_op(&self, occasion: &Occasion) -> bool {
        let (profile, action) = (self.limits.profile, &occasion.action);
        let meant = |pod: &&PodView| !pod.deleting && kill::is_meant(pod, action, &occasion.request, profile);
        *action == Action::RestartPartition && !self.census.pods.iter().copied().any(|pod| meant(&pod))
    }

    /// The counters after these pods are deleted. What once ended stays counted in a job that is done (VJ-115).
    pub fn tally_without(&self, killed: &[&PodView], spent: &Spent) -> Tally {
        let killed: BTreeSet<Uid> = killed.iter().map(|pod| pod.uid.clone()).collect();
        let mut tally = self.census.tally(&killed);
        spent.credit(&mut tally);
        for birth in self.births.values() {
            tally.add(&birth.task, PodPhase::Pending, false);
        }
        if transition::is_end(self.phase) {
            tally.keep_ended(&status::recorded(self.seen.job));
        }
        tally
    }

    /// The job's own `PodGroup`, if it is there and nobody deletes it.
    pub fn group_to_delete(&self) -> Option<Call> {
        let group = self.seen.group.filter(|group| group.metadata.deletion_timestamp.is_none())?;
        let (name, uid) = (group.metadata.name.clone()?, group.metadata.uid.as_deref()?.into());
        self.own_group_is_there().then_some(Call::DeleteGroup { name, uid })
    }

    /// Whether the job's own `PodGroup` is there, be it on its way out.
    pub fn own_group_is_there(&self) -> bool {
        let owners = self.seen.group.into_iter().flat_map(|group| group.metadata.owner_references.iter().flatten());
        owners.into_iter().any(|owner| owner.uid == names::uid(self.seen.job))
    }

    pub fn sync_state(&self, memory: Memory, findings: Findings) -> SyncState {
        SyncState::new(self.seen.job.clone(), memory, findings, self.now, self.limits)
    }
}
