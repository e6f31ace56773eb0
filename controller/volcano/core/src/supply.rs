//! The sync pass: what pods need is made, then the pods that are missing (VJ-160 to VJ-166).

use std::sync::Arc;

use crate::build_pod::build_pod;
use crate::occasion::Findings;
use crate::plugin::{self, Object};
use crate::scaling::{Places, Scaling};
use crate::status::Draft;
use crate::sync::SyncContext;
use crate::sync_state::{Mark, Plan};
use crate::transition::{self, Cell};
use crate::{Call, Decision, Memory, Notice, Phase, kill, names, pod_group, volumes};

/// What pods need, and whether it is all there.
struct Ground {
    plan: Plan,
    /// Name of the group that pods name, once they may be made.
    group: Option<String>,
    /// Claims that are not there.
    missing: Vec<String>,
}

impl SyncContext<'_> {
    /// Makes what is missing, and asks the phase's function.
    pub fn supply(self, mut memory: Memory, mut findings: Findings, cell: Cell) -> Decision {
        memory.torn_down = None;
        self.tell_of_group(&mut memory, &mut findings);
        let profile = self.limits.profile;
        let waiting = memory.evictions.iter();
        let waiting: Vec<_> =
            waiting.filter_map(|(request, at)| Some((request.pod.as_ref()?.0.clone(), *at))).collect();
        let places = Places { spent: &self.spent, births: &self.births };
        let scaling = Scaling::of(self.seen, &self.census, places, &self.goals, profile, &waiting);
        let tally = self.tally_without(&scaling.kill, &self.spent);
        let mut draft = Draft::unchanged(self.seen.job, self.phase, tally);
        self.spent.record(&mut draft.resources);
        let next = transition::next_phase(profile, self.phase, cell, &self.goals, &draft.tally, draft.retries);
        if transition::is_end(next) {
            // Nothing is made for a job that is over.
            return self.sync_state(memory, findings).supply(Draft { phase: next, ..draft }, Vec::new());
        }
        if let Some(refusal) = self.refusal() {
            findings.notices.push(refusal);
            return self.sync_state(memory, findings).refuse();
        }
        let mut ground = self.ground(&memory);
        findings.notices.extend(ground.missing.first().map(|name| Notice::claim_missing(name)));
        let fails = !ground.missing.is_empty();
        let group = ground.group.take().filter(|_| !fails);
        if let Some(group) = &group {
            ground.plan.extend(self.pods(&scaling, group));
        }
        for name in self.plugins_without_objects() {
            draft.resources.insert(plugin::resource_key(name), name.to_owned());
        }
        for name in self.claims_that_are_there() {
            draft.resources.insert(format!("volume-pvc-{name}"), name);
        }
        let mut state = self.sync_state(memory, findings);
        state.evaluates(cell, self.goals.clone());
        if fails {
            state.fails();
        } else if scaling.more && group.is_some() {
            state.goes_on_at_once();
        }
        state.supply(draft, ground.plan)
    }

    /// Why nothing can be made at all (VJ-160, VJ-276).
    fn refusal(&self) -> Option<Notice> {
        if !self.seen.queue_exists {
            let message = format!("queue {} is not found", self.seen.job.spec.queue);
            return Some(Notice::warning("PodGroupError", message));
        }
        plugin::of(self.seen.job).err().map(|unknown| Notice::warning("PluginError", unknown.to_string()))
    }

    /// Objects of plugins, claims, and the group, in this order (VJ-161).
    fn ground(&self, memory: &Memory) -> Ground {
        let mut plan: Plan = vec![self.plugins(memory)];
        let mut missing = Vec::new();
        if self.phase == Phase::Pending {
            let wishes = volumes::wishes(self.seen.job, self.seen.claims, self.limits.profile);
            plan.push(wishes.create.into_iter().map(claim).collect());
            if !wishes.write_back.is_empty() {
                plan.push(vec![(Call::NameClaims(wishes.write_back), Mark::Spec)]);
            }
            missing = wishes.missing;
        }
        let mut group = None;
        match self.seen.group {
            _ if !missing.is_empty() => {}
            None => {
                let new = pod_group::pod_group(self.seen.job, self.seen.priorities);
                plan.push(vec![(Call::CreateGroup(Box::new(new)), Mark::Plain)]);
                group = (!self.limits.profile.delays_pods()).then(|| names::group(self.seen.job));
            }
            // It goes, and another one comes after it.
            Some(old) if old.metadata.deletion_timestamp.is_some() => {}
            Some(old) => {
                if let Some(new) = pod_group::update(self.seen.job, old, self.seen.priorities) {
                    plan.push(vec![(Call::UpdateGroup(Box::new(new)), Mark::Plain)]);
                }
                let may = pod_group::lets_pods_in(old) || !self.limits.profile.delays_pods();
                group = old.metadata.name.clone().filter(|_| may);
            }
        }
        Ground { plan, group, missing }
    }

    /// What plugins want and is not there by the status, or has changed since (VJ-278, VJ-284, VJ-285).
    fn plugins(&self, memory: &Memory) -> Vec<(Call, Mark)> {
        let mut calls = Vec::new();
        for (name, objects) in plugin::objects(self.seen.job) {
            let known =
                self.status.controlled_resources.get(&plugin::resource_key(name)).is_some_and(|made| made == name);
            for object in objects {
                let hosts = if let Object::ConfigMap(map) = &object { map.data.clone() } else { None };
                let changed = hosts.is_some() && memory.hosts != hosts;
                if !known || changed {
                    calls.push((Call::Ensure(Box::new(object)), Mark::Plugin(name, hosts)));
                }
            }
        }
        calls
    }

    /// Plugins that are active by being named (VJ-111).
    fn plugins_without_objects(&self) -> impl Iterator<Item = &'static str> {
        plugin::objects(self.seen.job).into_iter().filter(|(_, objects)| objects.is_empty()).map(|(name, _)| name)
    }

    /// Claims of the job's volumes (VJ-111).
    fn claims_that_are_there(&self) -> impl Iterator<Item = String> {
        let volumes = self.seen.job.spec.volumes.iter().enumerate();
        let claims = volumes.filter_map(|(at, volume)| volumes::claim_name(self.seen.job, at, volume));
        claims.filter(|name| self.seen.claims.contains(name))
    }

    /// Pods to delete and pods to make, side by side (VJ-163).
    fn pods(&self, scaling: &Scaling<'_>, group: &str) -> Plan {
        let kills = scaling.kill.iter().map(|pod| (kill::call(pod), Mark::Plain));
        let births = scaling.create.iter().filter_map(|wanted| {
            let pod = build_pod(self.seen.job, wanted, group, self.seen.claims, self.limits.profile).ok()?;
            Some((Call::CreatePod(Box::new(pod)), Mark::Pod(wanted.task.clone(), wanted.name.clone())))
        });
        vec![kills.chain(births).collect()]
    }

    /// The scheduler's newest finding, if it is no good news (VJ-166).
    fn tell_of_group(&self, memory: &mut Memory, findings: &mut Findings) {
        let conditions = self.seen.group.and_then(|group| group.status.as_ref()).map(|status| &status.conditions);
        let holds = conditions.into_iter().flatten().filter(|condition| condition.status == "True");
        let newest = holds.max_by_key(|condition| condition.last_transition_time.as_ref().map(|time| time.0));
        let Some(condition) = newest.filter(|condition| condition.type_ != "Scheduled") else { return };
        if memory.told.insert(format!("group {} {}", condition.type_, condition.message), self.now).is_none() {
            let job = Arc::as_ref(self.seen.job);
            let namespace = job.metadata.namespace.as_deref().unwrap_or_default();
            findings.notices.push(Notice::unschedulable(namespace, names::of(job), &condition.message));
        }
    }
}

fn claim(claim: k8s_openapi::api::core::v1::PersistentVolumeClaim) -> (Call, Mark) {
    let name = claim.metadata.name.clone().unwrap_or_default();
    (Call::CreateClaim(Box::new(claim)), Mark::Claim(name))
}
