//! The API server: what is stored, in which order, and what a recorder hears of it.

use super::{
    choice::Choices,
    json,
    objects::{Job, JobId, Owner, Pod, PodId},
    profile::Profile,
};
use jobsworth_oracle::{Answer, Entry, Fact, Request, Seen};
use k8s_openapi::api::{batch::v1, core::v1 as core};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// An object's versions.
pub struct Track<T> {
    versions: Vec<(u64, Arc<T>)>,
    pub gone: Option<u64>,
}

impl<T> Track<T> {
    /// As it is stored, if it is.
    pub fn now(&self) -> Option<&Arc<T>> {
        self.at(u64::MAX).map(|(_, object)| object)
    }

    /// As it was at this revision, with the revision of that version.
    pub fn at(&self, revision: u64) -> Option<(u64, &Arc<T>)> {
        if self.gone.is_some_and(|gone| gone <= revision) {
            return None;
        }
        self.versions.iter().rev().find(|(since, _)| *since <= revision).map(|(since, object)| (*since, object))
    }

    /// The last version that there was.
    pub fn last(&self) -> &Arc<T> {
        &self.versions.last().expect("an object has a version").1
    }

    pub fn version(&self) -> u64 {
        self.versions.last().expect("an object has a version").0
    }
}

/// Which watch an entry comes by.
#[derive(Clone, Copy)]
enum By {
    Jobs,
    Pods,
    Script,
}

/// All that there is besides the controller.
pub struct World {
    pub chance: Choices,
    pub profile: Profile,
    /// Milliseconds since the recording began.
    pub now: u64,
    pub revision: u64,
    pub jobs: Vec<Track<Job>>,
    pub pods: Vec<Track<Pod>>,
    /// When each revision came about.
    stamps: Vec<(u64, u64)>,
    arrived: Vec<Entry>,
    heard: [u64; 3],
    /// What people may still do.
    pub acts: u32,
    /// Nobody touches Jobs, and nothing goes wrong, while this is so.
    pub is_calm: bool,
    /// Creations that come through after their sender has died.
    pub late: Vec<(u64, Pod)>,
    /// Jobs of which somebody besides the controller has deleted a pod.
    pub disturbed: BTreeSet<JobId>,
    /// What happened, for the shape of this history.
    pub told: Vec<String>,
}

impl World {
    pub fn new(mut chance: Choices) -> Self {
        let profile = Profile::draw(&mut chance);
        let acts = profile.acts;
        Self {
            chance,
            profile,
            now: 1000,
            revision: 100,
            jobs: Vec::new(),
            pods: Vec::new(),
            stamps: Vec::new(),
            arrived: Vec::new(),
            heard: [0; 3],
            acts,
            is_calm: false,
            late: Vec::new(),
            disturbed: BTreeSet::new(),
            told: Vec::new(),
        }
    }

    pub fn seconds(&self) -> i64 {
        i64::try_from(self.now / 1000).unwrap_or(i64::MAX)
    }

    /// A little time.
    pub fn tick(&mut self, most: u32) {
        self.now += 1 + u64::from(self.chance.below(most));
    }

    /// The latest revision that was there so many milliseconds ago.
    pub fn known(&self, ago: u64) -> u64 {
        let from = self.now.saturating_sub(ago);
        self.stamps.iter().rev().find(|(_, at)| *at <= from).map_or(0, |(revision, _)| *revision)
    }

    fn stamp(&mut self) -> u64 {
        self.revision += 1;
        self.stamps.push((self.revision, self.now));
        self.revision
    }

    pub fn add_job(&mut self, job: Job) -> JobId {
        self.jobs.push(Track { versions: Vec::new(), gone: None });
        let id = self.jobs.len() - 1;
        self.put_job(id, job);
        id
    }

    pub fn add_pod(&mut self, pod: Pod) -> PodId {
        self.pods.push(Track { versions: Vec::new(), gone: None });
        let id = self.pods.len() - 1;
        self.put_pod(id, pod);
        id
    }

    pub fn put_job(&mut self, id: JobId, job: Job) -> u64 {
        let revision = self.stamp();
        let seen = Seen::<v1::Job>::new(json::job(&job, revision)).expect("a Job");
        self.jobs[id].versions.push((revision, Arc::new(job)));
        self.hear(By::Jobs, revision, Fact::there(seen));
        revision
    }

    pub fn put_pod(&mut self, id: PodId, pod: Pod) -> u64 {
        let revision = self.stamp();
        let seen = Seen::<core::Pod>::new(self.pod_json(id, &pod, revision)).expect("a pod");
        self.pods[id].versions.push((revision, Arc::new(pod)));
        self.hear(By::Pods, revision, Fact::there(seen));
        revision
    }

    /// The last thing that is heard of a Job.
    pub fn drop_job(&mut self, id: JobId, job: Job) -> u64 {
        let revision = self.stamp();
        let seen = Seen::<v1::Job>::new(json::job(&job, revision)).expect("a Job");
        self.jobs[id].versions.push((revision, Arc::new(job)));
        self.jobs[id].gone = Some(revision);
        self.hear(By::Jobs, revision, Fact::gone(seen));
        revision
    }

    pub fn drop_pod(&mut self, id: PodId, pod: Pod) -> u64 {
        let revision = self.stamp();
        let seen = Seen::<core::Pod>::new(self.pod_json(id, &pod, revision)).expect("a pod");
        self.pods[id].versions.push((revision, Arc::new(pod)));
        self.pods[id].gone = Some(revision);
        self.hear(By::Pods, revision, Fact::gone(seen));
        revision
    }

    fn pod_json(&self, id: PodId, pod: &Pod, revision: u64) -> Value {
        json::pod(pod, id, self.jobs[pod.labelled].last(), revision)
    }

    fn hear(&mut self, by: By, revision: u64, fact: Fact) {
        let lag = u64::from(self.chance.below(self.profile.hearing));
        let at = self.heard[by as usize].max(self.now + lag);
        self.heard[by as usize] = at;
        self.arrived.push(Entry { revision, at: Duration::from_millis(at), fact });
    }

    /// What the recorder knows of revisions by now.
    fn heard_revision(&self) -> u64 {
        let now = Duration::from_millis(self.now);
        self.arrived.iter().filter(|entry| entry.at <= now).map(|entry| entry.revision).max().unwrap_or(0)
    }

    pub fn mark(&mut self, name: &str) {
        let revision = self.heard_revision();
        self.hear(By::Script, revision, Fact::Mark(name.to_owned()));
    }

    /// The API server's answer to the script; on a cluster that others use nobody writes it down.
    pub fn answer(&mut self, to: &str, body: Value) {
        if self.profile.shared {
            return;
        }
        let known = self.heard_revision();
        let revision =
            body.pointer("/metadata/resourceVersion").and_then(|text| text.as_str()?.parse().ok()).unwrap_or(known);
        let answer = Answer {
            to: to.to_owned(),
            code: 200,
            reason: String::new(),
            message: String::new(),
            causes: vec![],
            warnings: vec![],
            body: Arc::new(body),
        };
        self.hear(By::Script, revision, Fact::Answer(answer));
    }

    pub fn asked(&mut self, request: Request) {
        if self.profile.wired {
            let revision = request.made.unwrap_or(0).max(self.heard_revision());
            self.arrived.push(Entry {
                revision,
                at: Duration::from_millis(self.now),
                fact: Fact::Request(request.into()),
            });
        }
    }

    /// Somebody besides the controller deletes a pod.
    pub fn stop_pod_of_another(&mut self, id: PodId, grace: i64) -> Option<u64> {
        if let Owner::Job(job) = self.pods[id].last().owner {
            self.disturbed.insert(job);
        }
        self.stop_pod(id, grace)
    }

    /// A pod is deleted.
    pub fn stop_pod(&mut self, id: PodId, grace: i64) -> Option<u64> {
        let pod = self.pods[id].now()?;
        let grace = if pod.is_terminal() || !pod.assigned { 0 } else { grace };
        if pod.stop.is_some_and(|(_, known)| known <= grace) {
            return Some(self.pods[id].version());
        }
        let mut pod = Pod::clone(pod);
        if grace == 0 && !pod.tracked && !pod.held {
            return Some(self.drop_pod(id, pod));
        }
        pod.stop = Some((self.seconds() + grace, grace));
        Some(self.put_pod(id, pod))
    }

    /// Somebody takes finalizers from a pod; without any, it may be that it goes.
    pub fn unhold_pod(&mut self, id: PodId, change: impl FnOnce(&mut Pod)) -> Option<u64> {
        let before = self.pods[id].now()?;
        let mut pod = Pod::clone(before);
        change(&mut pod);
        if pod.tracked == before.tracked && pod.held == before.held {
            return Some(self.pods[id].version());
        }
        let is_over = pod.stop.is_some_and(|(_, grace)| grace == 0) && !pod.tracked && !pod.held;
        Some(if is_over { self.drop_pod(id, pod) } else { self.put_pod(id, pod) })
    }

    /// A Job's finalizers change; without any, a deleted one goes.
    pub fn put_or_drop_job(&mut self, id: JobId, job: Job) -> u64 {
        match job.deleted.is_some() && job.finalizers.is_empty() {
            true => self.drop_job(id, job),
            false => self.put_job(id, job),
        }
    }

    /// The pods that this Job controls now.
    pub fn pods_of(&self, job: JobId) -> impl Iterator<Item = (PodId, &Arc<Pod>)> {
        let pods = self.pods.iter().enumerate().filter_map(|(id, track)| Some((id, track.now()?)));
        pods.filter(move |(_, pod)| pod.owner == Owner::Job(job))
    }

    /// What was recorded, in the order in which it arrived.
    pub fn recording(&mut self) -> Vec<Entry> {
        let mut entries = std::mem::take(&mut self.arrived);
        entries.sort_by_key(|entry| entry.at);
        entries
    }
}
