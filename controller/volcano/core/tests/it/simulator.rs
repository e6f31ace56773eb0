//! A world of one job: an API server that takes the calls, pods that run, stop and end, a controller that may forget.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, Job, PodGroup, PodGroupPhase};
use jobsworth_volcano_core::plugin::Object;
use jobsworth_volcano_core::{
    Call, Decision, Failure, Limits, Memory, NewStatus, Notice, Order, Outcome, Phase, PodView, Profile, Requeue,
    Snapshot, names, sync, transition,
};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use crate::watch::Watch;
use crate::world;

/// The world. Every broken promise panics at the call that breaks it.
#[derive(Clone)]
pub struct World {
    pub job: Arc<Job>,
    pub pods: Vec<Pod>,
    pub group: Option<PodGroup>,
    pub objects: BTreeSet<(String, String)>,
    pub claims: BTreeSet<String>,
    pub commands: Vec<Order>,
    pub queue_exists: bool,
    pub memory: Memory,
    pub watch: Watch,
    pub now: Timestamp,
    pub limits: Limits,
    revision: u64,
    born: u32,
    /// How many more calls the controller lives to make; `None` for ever.
    pub calls_left: Option<u32>,
    /// The call that is refused.
    pub refuse: Option<u32>,
    pub failures: u32,
    /// Calls of the last sync.
    pub calls: Vec<Call>,
    pub notices: Vec<Notice>,
    pub requeue: Requeue,
    /// Phases in the order in which they were written.
    pub phases: Vec<Phase>,
    pub status_writes: u32,
    crashed: bool,
}

impl World {
    pub fn new(job: Job, profile: Profile) -> Self {
        let job = Arc::new(job);
        let watch = Watch::list(&job, &[], None, profile);
        Self {
            job,
            pods: Vec::new(),
            group: None,
            objects: BTreeSet::new(),
            claims: BTreeSet::new(),
            commands: Vec::new(),
            queue_exists: true,
            memory: Memory::default(),
            watch,
            now: world::start(),
            // Most tests look at each status; [`Self::restrained`] has them as they are.
            limits: Limits { counters: SignedDuration::ZERO, ..Limits::of(profile) },
            revision: 100,
            born: 0,
            calls_left: None,
            refuse: None,
            failures: 0,
            calls: Vec::new(),
            notices: Vec::new(),
            requeue: Requeue::No,
            phases: Vec::new(),
            status_writes: 0,
            crashed: false,
        }
    }

    /// One in which counters alone are written as rarely as they really are.
    pub fn restrained(job: Job, profile: Profile) -> Self {
        Self { limits: Limits::of(profile), ..Self::new(job, profile) }
    }

    pub fn phase(&self) -> Option<Phase> {
        self.job.status.as_ref().and_then(|status| status.state.phase)
    }

    pub fn version(&self) -> i32 {
        self.job.status.as_ref().map_or(0, |status| status.version)
    }

    pub fn retries(&self) -> i32 {
        self.job.status.as_ref().map_or(0, |status| status.retry_count)
    }

    /// What the caches show.
    pub fn decide(&self) -> Decision {
        let pods: Vec<&PodView> = self.watch.pods.values().collect();
        let priorities = BTreeMap::new();
        let seen = Snapshot {
            job: &self.watch.job,
            pods: &pods,
            group: self.watch.group.as_ref(),
            queue_exists: self.queue_exists,
            claims: &self.claims,
            priorities: &priorities,
            commands: &self.commands,
            requests: &self.watch.requests,
            failures: self.failures,
        };
        sync(&seen, &self.memory, self.now, &self.limits)
    }

    pub fn deliver(&mut self) {
        let (job, pods, group) = (self.job.clone(), self.pods.clone(), self.group.clone());
        if !Arc::ptr_eq(&job, &self.watch.job) {
            self.watch.deliver_job(&job);
        }
        self.watch.deliver_pods(&pods);
        self.watch.deliver_group(group.as_ref());
    }

    /// One sync; false when it made no call.
    pub fn sync(&mut self) -> bool {
        self.calls.clear();
        self.notices.clear();
        self.crashed = false;
        let mut decision = self.decide();
        loop {
            self.notices.append(&mut decision.notices);
            let mut outcomes = Vec::new();
            let mut stopped = false;
            for batch in std::mem::take(&mut decision.batches) {
                assert!(!batch.is_empty(), "a batch without calls");
                let mut results = Vec::new();
                for call in batch {
                    let verb = call.verb();
                    let outcome = if stopped { Outcome::Skipped } else { self.call(call) };
                    results.push((verb, outcome));
                }
                stopped |= !results.iter().all(|(verb, outcome)| verb.is_achieved(outcome));
                outcomes.push(results.into_iter().map(|(_, outcome)| outcome).collect::<Vec<_>>());
            }
            if self.crashed {
                self.forget();
                return true;
            }
            match decision.awaiting.take() {
                Some(awaiting) => decision = awaiting.after(&outcomes, self.now),
                None => break,
            }
        }
        self.memory = decision.memory;
        self.requeue = decision.requeue;
        self.failures = if decision.requeue == Requeue::Failed { self.failures + 1 } else { 0 };
        self.watch.requests.drain(..decision.consumed);
        !self.calls.is_empty()
    }

    /// The controller starts anew.
    pub fn forget(&mut self) {
        self.memory = Memory::default();
        self.calls_left = None;
        self.failures = 0;
        self.watch = Watch::list(&self.job, &self.pods, self.group.as_ref(), self.limits.profile);
    }

    fn call(&mut self, call: Call) -> Outcome {
        self.calls.push(call.clone());
        if let Some(left) = &mut self.calls_left {
            if *left == 0 {
                self.crashed = true;
                return Outcome::Skipped;
            }
            *left -= 1;
        }
        if let Some(refuse) = &mut self.refuse {
            if *refuse == 0 {
                self.refuse = None;
                if let Call::KillPod { uid, .. } = &call {
                    // The mark is there, and the deletion is refused.
                    self.mark(uid);
                }
                return Outcome::Failed(Failure::Other("no".to_owned()));
            }
            *refuse -= 1;
        }
        self.revision += 1;
        self.carry_out(call)
    }

    fn carry_out(&mut self, call: Call) -> Outcome {
        let done = Outcome::Done { revision: self.revision };
        match call {
            Call::DeleteCommand { uid, .. } => match self.commands.iter().position(|order| order.uid == uid) {
                Some(at) => {
                    self.commands.remove(at);
                    done
                }
                None => Outcome::Gone,
            },
            Call::Ensure(object) => {
                self.check_object(&object);
                let key = (object.kind().to_owned(), object.name().to_owned());
                if self.objects.insert(key) { done } else { Outcome::Exists }
            }
            Call::DeleteObject { kind, name, .. } => {
                if self.objects.remove(&(kind.to_owned(), name)) {
                    done
                } else {
                    Outcome::Gone
                }
            }
            Call::CreateClaim(claim) => {
                self.check_owner(&claim.metadata);
                if self.claims.insert(claim.metadata.name.unwrap()) { done } else { Outcome::Exists }
            }
            Call::NameClaims(names) => {
                let mut job = (*self.job).clone();
                for (at, name) in names {
                    job.spec.volumes[at].volume_claim_name = name;
                }
                self.store(job);
                done
            }
            Call::CreateGroup(group) => {
                self.check_owner(&group.metadata);
                if self.group.is_some() {
                    return Outcome::Exists;
                }
                let mut group = *group;
                group.metadata.uid = Some(format!("g{}", self.revision));
                self.group = Some(group);
                done
            }
            Call::UpdateGroup(group) => match &mut self.group {
                Some(old) if old.metadata.uid == group.metadata.uid => {
                    old.spec = group.spec;
                    done
                }
                _ => Outcome::Gone,
            },
            Call::DeleteGroup { uid, .. } => {
                let same = self.group.as_ref().is_some_and(|group| group.metadata.uid.as_deref() == Some(&*uid));
                self.group = self.group.take().filter(|_| !same);
                if same { done } else { Outcome::Gone }
            }
            Call::CreatePod(pod) => self.create(*pod),
            Call::KillPod { uid, .. } => {
                let now = self.now;
                match self.mark(&uid) {
                    Some(pod) => {
                        pod.metadata.deletion_timestamp.get_or_insert(Time(now));
                        done
                    }
                    None => Outcome::Gone,
                }
            }
            Call::WriteStatus(new) => self.write(*new),
        }
    }

    /// No two live pods of a name, and none of an old version (VJ-189 d, e, f).
    fn create(&mut self, mut pod: Pod) -> Outcome {
        self.check_owner(&pod.metadata);
        if self.pods.iter().any(|known| known.metadata.name == pod.metadata.name) {
            return Outcome::Exists;
        }
        self.born += 1;
        pod.metadata.uid = Some(format!("p{}", self.born));
        pod.metadata.creation_timestamp = Some(Time(self.now));
        let view = world::view(&pod);
        if self.limits.profile != Profile::Compat115 {
            assert_eq!(view.version, self.version(), "{} is born with an old version", view.name);
            assert!(self.phase().is_some_and(|phase| !transition::is_end(phase)), "born into a job that is over");
        }
        if self.limits.profile == Profile::Strict {
            self.check_ground();
        }
        assert_eq!(*view.name, names::pod(&self.job, &view.task, view.index.unwrap()));
        self.pods.push(pod);
        Outcome::Done { revision: self.revision }
    }

    /// What a pod mounts is there before it, and its gang was let in, as far as the watch has shown (VJ-161, VJ-162, VJ-325).
    fn check_ground(&self) {
        let going = [Phase::Aborting, Phase::Aborted, Phase::Completing, Phase::Terminating];
        assert!(self.phase().is_some_and(|phase| !going.contains(&phase)), "born into a job that is killed");
        for (plugin, kind) in [("svc", "ConfigMap"), ("ssh", "Secret")] {
            let name = format!("{}-{plugin}", names::of(&self.job));
            let wanted = self.job.spec.plugins.contains_key(plugin);
            assert!(!wanted || self.objects.contains(&(kind.to_owned(), name)), "born before its {kind}");
        }
        let phase = self.watch.group.as_ref().and_then(|group| group.status.as_ref()?.phase);
        assert!(phase.is_some_and(|phase| phase != PodGroupPhase::Pending), "born before its gang was let in");
    }

    fn mark(&mut self, uid: &str) -> Option<&mut Pod> {
        let pod = self.pods.iter_mut().find(|pod| pod.metadata.uid.as_deref() == Some(uid))?;
        let marks = pod.metadata.annotations.get_or_insert_default();
        marks.insert("volcano.sh/controller-out-of-sync".to_owned(), "true".to_owned());
        Some(pod)
    }

    fn check_owner(&self, meta: &ObjectMeta) {
        let owners: Vec<_> = meta.owner_references.iter().flatten().filter(|o| o.controller == Some(true)).collect();
        assert_eq!(owners.len(), 1, "{meta:?}");
        let (owner, whole) = (owners[0], meta.owner_references.iter().flatten().count());
        assert_eq!((&*owner.uid, &*owner.kind, whole), (names::uid(&self.job), "Job", 1));
        // Jobs of `batch` have the same kind (VJ-006).
        assert_eq!(owner.api_version, "batch.volcano.sh/v1alpha1");
    }

    fn check_object(&self, object: &Object) {
        match object {
            Object::Service(service) => self.check_owner(&service.metadata),
            Object::ConfigMap(map) => self.check_owner(&map.metadata),
            Object::NetworkPolicy(policy) => self.check_owner(&policy.metadata),
            Object::Keys(_) => {}
        }
    }

    fn store(&mut self, mut job: Job) {
        job.metadata.resource_version = Some(self.revision.to_string());
        self.job = Arc::new(job);
    }

    /// Somebody else writes to the job.
    pub fn touch(&mut self) {
        self.revision += 1;
        self.store((*self.job).clone());
    }

    /// Somebody changes the spec.
    pub fn respec(&mut self, change: impl FnOnce(&mut Job)) {
        let mut job = (*self.job).clone();
        change(&mut job);
        self.revision += 1;
        self.store(job);
    }

    /// Edges of the table only, nothing falls, ends stay (VJ-189 a, b, c).
    fn write(&mut self, new: NewStatus) -> Outcome {
        if Some(&new.based_on) != self.job.metadata.resource_version.as_ref() {
            return Outcome::Failed(Failure::Conflict);
        }
        let old = self.job.status.clone().unwrap_or_default();
        assert_ne!(old, new.status, "a status that changes nothing");
        let (from, to) = (old.state.phase, new.status.state.phase.unwrap());
        match from {
            None => assert_eq!(to, Phase::Pending),
            Some(from) if from == to => {}
            Some(from) => {
                assert!(!transition::is_end(from), "{from} is left for {to}");
                assert!(transition::is_edge(self.limits.profile, from, to), "{from} to {to} is no edge");
            }
        }
        assert!(new.status.version >= old.version && new.status.retry_count >= old.retry_count);
        assert!(new.status.retry_count <= old.retry_count + 1);
        let mut seen = BTreeSet::new();
        assert!(new.status.conditions.iter().all(|c| seen.insert(c.status)), "{:?}", new.status.conditions);
        if from != Some(to) {
            self.phases.push(to);
        }
        self.status_writes += 1;
        let mut job = (*self.job).clone();
        job.status = Some(new.status);
        self.store(job);
        Outcome::Done { revision: self.revision }
    }

    pub fn pass(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    fn live(&mut self, at: usize) -> Option<&mut Pod> {
        let mut live: Vec<&mut Pod> = self.pods.iter_mut().filter(|pod| !world::view(pod).phase.has_ended()).collect();
        let at = at.checked_rem(live.len())?;
        Some(live.swap_remove(at))
    }

    /// A pod ends; `code` 0 is a success.
    pub fn end(&mut self, at: usize, code: i32) {
        let now = self.now;
        if let Some(pod) = self.live(at) {
            world::end(pod, code, now);
        }
    }

    pub fn run(&mut self, at: usize, restarts: i32) {
        if let Some(pod) = self.live(at) {
            world::run(pod, restarts);
        }
    }

    pub fn run_all(&mut self) {
        for pod in &mut self.pods {
            if !world::view(pod).phase.has_ended() && pod.metadata.deletion_timestamp.is_none() {
                world::run(pod, 0);
            }
        }
    }

    /// Somebody deletes a pod; it is gone once [`Self::sweep`] says so.
    pub fn evict(&mut self, at: usize) {
        let now = self.now;
        if let Some(at) = at.checked_rem(self.pods.len()) {
            self.pods[at].metadata.deletion_timestamp.get_or_insert(Time(now));
        }
    }

    /// What is being deleted is gone.
    pub fn sweep(&mut self) {
        self.pods.retain(|pod| pod.metadata.deletion_timestamp.is_none());
    }

    pub fn let_in(&mut self, phase: &str) {
        if let Some(group) = &mut self.group {
            world::set_phase(group, phase);
        }
    }

    pub fn order(&mut self, action: &str) {
        self.born += 1;
        let uid = format!("c{}", self.born);
        self.commands.push(Order { name: uid.clone(), uid: uid.as_str().into(), action: Action::from(action) });
    }

    /// Syncs until there is nothing to do, counters that wait included; panics if that never comes.
    pub fn settle(&mut self) {
        for _ in 0..40 {
            self.deliver();
            let busy = self.sync();
            if let Requeue::After(wait) = self.requeue
                && wait > SignedDuration::ZERO
                && wait <= self.limits.counters
            {
                self.now += wait;
                continue;
            }
            if !busy && self.requeue != Requeue::After(SignedDuration::ZERO) && self.watch.requests.is_empty() {
                return;
            }
        }
        panic!("still busy: {:?}\n{:#?}", self.calls, self.job.status);
    }

    /// The scheduler lets the group in and all pods run.
    pub fn up(&mut self) {
        self.settle();
        self.let_in("Inqueue");
        self.settle();
        self.run_all();
        self.settle();
    }
}
