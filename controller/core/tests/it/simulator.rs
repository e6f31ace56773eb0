//! A world of one Job: an API server that takes the calls, pods that run, stop and end, a controller that may forget.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use jobsworth_core::pod::{Owner, Phase};
use jobsworth_core::{
    Action, Decision, Failure, Gates, JobView, Limits, Memory, NewStatus, OnFailure, Outcome, PodView, Snapshot, Uid,
    Why, reconcile,
};

use crate::refusals::refusals;
use crate::world;

/// The world. Every broken promise panics at the call that breaks it.
#[derive(Clone)]
pub struct World {
    pub job: JobView,
    pub pods: Vec<PodView>,
    pub memory: Memory,
    pub now: Timestamp,
    pub gates: Gates,
    pub limits: Limits,
    revision: u64,
    born: u32,
    /// How many more calls the controller lives to make; `None` for ever.
    pub calls_left: Option<u32>,
    /// The call after which nothing is heard of the outcome: it happens, and the controller does not learn of it.
    pub refuse: Option<u32>,
    /// The cache of an earlier moment, to be looked at instead of the present.
    pub stale: Option<(JobView, Vec<PodView>, u64)>,
    /// How each pod was listed when it lost its finalizer: true for a success.
    listed: BTreeMap<Uid, bool>,
    /// Whether pods with the same index, or more than wanted, may be there for reasons of the past.
    pub resized: bool,
    /// Calls made in the last sync.
    pub calls: Vec<Action>,
    crashed: bool,
}

impl World {
    pub fn new(job: JobView, gates: Gates, limits: Limits) -> Self {
        Self {
            job,
            pods: Vec::new(),
            memory: Memory::default(),
            now: world::start(),
            gates,
            limits,
            revision: 100,
            born: 0,
            calls_left: None,
            refuse: None,
            stale: None,
            listed: BTreeMap::new(),
            resized: false,
            calls: Vec::new(),
            crashed: false,
        }
    }

    /// What the caches show.
    pub fn decide(&self) -> Decision {
        let (job, pods, revision) = match &self.stale {
            Some((job, pods, revision)) => (job, pods, *revision),
            None => (&self.job, &self.pods, self.revision),
        };
        let pods: Vec<&PodView> = pods.iter().collect();
        let seen = Snapshot { job, pods: &pods, pods_revision: revision };
        reconcile(&seen, &self.memory, self.now, &self.gates, &self.limits)
    }

    /// One sync; false when it made no call.
    pub fn sync(&mut self) -> bool {
        self.calls.clear();
        self.crashed = false;
        let mut decision = self.decide();
        loop {
            let mut outcomes = Vec::new();
            let mut stopped = false;
            for batch in std::mem::take(&mut decision.batches) {
                let results: Vec<Outcome> = batch
                    .actions
                    .into_iter()
                    .map(|action| if stopped { Outcome::Skipped } else { self.call(action) })
                    .collect();
                stopped |= batch.on_failure == OnFailure::Stop && !results.iter().all(Outcome::is_achieved);
                outcomes.push(results);
            }
            if self.crashed {
                self.forget();
                break;
            }
            match decision.awaiting.take() {
                Some(awaiting) => decision = awaiting.after(&outcomes, self.now),
                None => {
                    self.memory = decision.memory;
                    break;
                }
            }
        }
        !self.calls.is_empty()
    }

    /// The controller restarts, with a consistent list.
    pub fn forget(&mut self) {
        self.memory = Memory::default();
        self.stale = None;
        self.calls_left = None;
    }

    /// The caches stay behind from now on.
    pub fn freeze(&mut self) {
        self.stale = Some((self.job.clone(), self.pods.clone(), self.revision));
    }

    fn call(&mut self, action: Action) -> Outcome {
        match &mut self.calls_left {
            Some(0) => {
                self.crashed = true;
                return Outcome::Skipped;
            }
            Some(left) => *left -= 1,
            None => {}
        }
        if let Some(left) = &mut self.refuse {
            if *left == 0 {
                self.refuse = None;
                return Outcome::Failed(Failure::Other("no".into()));
            }
            *left -= 1;
        }
        self.calls.push(action.clone());
        self.revision += 1;
        match action {
            Action::CreatePod(pod) => self.create(pod.index, pod.failures.unwrap_or_default()),
            Action::StripAndDelete { uid, why, .. } => {
                if why == Why::Decided {
                    self.release(&uid);
                } else {
                    self.edit(&uid, |pod| pod.tracked = false);
                }
                self.delete(&uid)
            }
            Action::DeletePod { uid, .. } => self.delete(&uid),
            Action::ReleasePod { uid, .. } => self.release(&uid),
            Action::WriteStatus(new) => self.write(*new),
            Action::AdoptPod { uid, .. } => {
                let owner = Owner { is_job: true, name: self.job.name.clone(), uid: self.job.uid.clone() };
                self.edit(&uid, |pod| {
                    pod.owner = Some(owner.clone());
                    pod.tracked = true;
                })
            }
            Action::OrphanPod { uid, .. } => self.edit(&uid, |pod| {
                pod.owner = None;
                pod.tracked = false;
            }),
        }
    }

    fn create(&mut self, index: Option<u32>, failures: jobsworth_core::pod::FailureCounts) -> Outcome {
        assert!(!self.job.status.is_finished(), "a pod for a finished Job");
        let active = self.pods.iter().filter(|pod| pod.is_active());
        if !self.resized {
            assert!((active.count() as u32) < self.job.spec.parallelism, "more pods than parallelism");
        }
        if let Some(index) = index {
            assert!(!self.job.status.completed.contains(index), "a pod for the completed index {index}");
            let rival = self.pods.iter().find(|pod| pod.index == Some(index) && pod.is_active());
            assert!(rival.is_none(), "a second pod for index {index}");
        }
        let name = format!("p{}", self.born);
        self.born += 1;
        let mut pod = world::pod(&name, &self.job);
        (pod.index, pod.failures, pod.created, pod.finished) = (index, failures, self.now, self.now);
        pod.revision = self.revision;
        let outcome = Outcome::Created { uid: pod.uid.clone(), name: pod.name.clone(), revision: self.revision };
        self.pods.push(pod);
        outcome
    }

    fn edit(&mut self, uid: &Uid, change: impl Fn(&mut PodView)) -> Outcome {
        let revision = self.revision;
        let Some(pod) = self.pods.iter_mut().find(|pod| pod.uid == *uid) else { return Outcome::Gone };
        change(pod);
        pod.revision = revision;
        self.sweep();
        Outcome::Done { revision }
    }

    /// Deletion as the API server does it: what has a finalizer stays.
    pub fn delete(&mut self, uid: &Uid) -> Outcome {
        let now = self.now;
        self.revision += 1;
        self.edit(uid, |pod| {
            if !pod.deleting && !pod.is_terminal() {
                pod.finished = now;
            }
            pod.deleting = true;
        })
    }

    /// Pods without finalizer that ended or never ran, and are to go, are gone.
    fn sweep(&mut self) {
        self.pods.retain(|pod| !(pod.deleting && !pod.tracked && (pod.is_terminal() || pod.phase == Phase::Pending)));
    }

    /// A pod loses its finalizer: its end must be on record.
    fn release(&mut self, uid: &Uid) -> Outcome {
        let Some(pod) = self.pods.iter().find(|pod| pod.uid == *uid).cloned() else { return Outcome::Gone };
        let status = &self.job.status;
        let (succeeded, failed) = (status.uncounted.succeeded.contains(uid), status.uncounted.failed.contains(uid));
        let below = self.job.spec.indexes_below();
        let place = below.is_none_or(|below| pod.index.is_some_and(|index| index < below));
        if pod.tracked && place && !self.job.deleting {
            let index = pod.index.unwrap_or_default();
            let settled = status.failed_indexes.as_ref().is_some_and(|failed| failed.contains(index));
            match pod.phase {
                Phase::Succeeded if self.stale.is_none() => {
                    let known =
                        failed || succeeded || (below.is_some() && (status.completed.contains(index) || settled));
                    assert!(known, "{uid} succeeded and is released before that is on record");
                }
                Phase::Failed if self.stale.is_none() => {
                    let ignored = pod.exits.iter().any(|exit| exit.code == world::IGNORED);
                    let stopped = world::has_met(status);
                    assert!(
                        failed || succeeded || ignored || stopped,
                        "{uid} failed and is released before that is on record"
                    );
                }
                _ => {}
            }
        }
        if succeeded || failed {
            self.listed.insert(uid.clone(), succeeded);
        }
        self.edit(uid, |pod| pod.tracked = false)
    }

    fn write(&mut self, new: NewStatus) -> Outcome {
        if new.based_on != self.job.revision {
            return Outcome::Failed(Failure::Conflict);
        }
        assert_ne!(new.status, self.job.status, "a status that changes nothing");
        let broken = refusals(&self.job.status, &new.status, &self.job.spec, &self.gates);
        assert!(broken.is_empty(), "refused by {broken:?}: {:#?}\nafter {:#?}", new.status, self.job.status);
        self.job.status = new.status;
        self.job.revision = self.revision;
        if self.job.status.is_finished() {
            self.check_end();
        }
        Outcome::Done { revision: self.revision }
    }

    /// A finished Job has no pod with the finalizer, and its counters tell what was listed: no more, no less.
    fn check_end(&self) {
        let status = &self.job.status;
        assert!(self.pods.iter().all(|pod| !pod.tracked), "finished with a finalizer left");
        if self.gates.delays_terminal_condition() {
            assert!(self.pods.iter().all(PodView::is_terminal), "finished with live pods");
        }
        let failed = self.listed.values().filter(|succeeded| !**succeeded).count();
        assert_eq!(status.failed as usize, failed, "failures lost or invented");
        if !self.job.spec.is_indexed() {
            let succeeded = self.listed.values().filter(|succeeded| **succeeded).count();
            assert_eq!(status.succeeded as usize, succeeded, "successes lost or invented");
        }
    }

    pub fn pass(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    /// A pod ends; `code` 0 is a success.
    pub fn end(&mut self, at: usize, code: i32) {
        self.revision += 1;
        let (revision, now) = (self.revision, self.now);
        let mut live: Vec<&mut PodView> = self.pods.iter_mut().filter(|pod| !pod.is_terminal()).collect();
        if live.is_empty() {
            return;
        }
        let at = at % live.len();
        world::end(live[at], code);
        live[at].finished = now;
        live[at].revision = revision;
        self.sweep();
    }

    pub fn run(&mut self, at: usize) {
        let mut live: Vec<&mut PodView> = self.pods.iter_mut().filter(|pod| !pod.is_terminal()).collect();
        if live.is_empty() {
            return;
        }
        let at = at % live.len();
        self.revision += 1;
        (live[at].phase, live[at].ready, live[at].assigned) = (Phase::Running, !live[at].deleting, true);
        live[at].revision = self.revision;
    }

    /// Somebody changes the spec.
    pub fn respec(&mut self, change: impl Fn(&mut jobsworth_core::JobSpec)) {
        let mut spec = (*self.job.spec).clone();
        change(&mut spec);
        self.job.spec = std::sync::Arc::new(spec);
        self.job.generation += 1;
        self.revision += 1;
        self.job.revision = self.revision;
    }

    /// Everything that can still happen happens, until the Job is finished; panics if it never is.
    pub fn play_out(&mut self) {
        self.stale = None;
        (self.calls_left, self.refuse) = (None, None);
        self.respec(|spec| {
            spec.suspend = false;
            spec.parallelism = spec.parallelism.max(1);
        });
        for _ in 0..60 {
            self.sync();
            if self.job.status.is_finished() {
                self.check_end();
                assert!(!self.sync(), "a finished Job is worked on: {:?}", self.calls);
                return;
            }
            self.pass(700);
            for _ in 0..self.pods.len() {
                self.end(0, 0);
            }
            self.sweep();
        }
        panic!("never finished: {:#?}\n{:#?}", self.job.status, self.pods);
    }

    pub fn uids(&self) -> BTreeSet<Uid> {
        self.pods.iter().map(|pod| pod.uid.clone()).collect()
    }
}
