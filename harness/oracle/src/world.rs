//! What a client that had followed every watch would have known after an entry.

use crate::{
    fact::{Answer, Fact, Notice, Object, Seen},
    timeline::Timeline,
};
use k8s_openapi::{
    api::{batch::v1::Job, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

/// The state of the namespace after one entry, and what that entry changed.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Arrival of the entry that made this world.
    pub at: Duration,
    /// Revision of that entry.
    pub revision: u64,
    /// What that entry changed.
    pub change: Change,
    jobs: BTreeMap<String, Seen<Job>>,
    pods: BTreeMap<String, Seen<Pod>>,
    objects: BTreeMap<(String, String), Seen<Object>>,
    known: Arc<BTreeSet<String>>,
    notices: Arc<Vec<Notice>>,
    answers: Arc<BTreeMap<String, Answer>>,
    marks: Arc<Vec<String>>,
}

/// What the latest entry changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// Nothing that was watched.
    #[default]
    Nothing,
    /// The Job of this name was seen for the first time.
    JobAdded(String),
    /// The Job of this name has a new version.
    JobChanged(String),
    /// The Job of this name is gone.
    JobGone(String),
    /// The pod of this name was seen for the first time.
    PodAdded(String),
    /// The pod of this name has a new version.
    PodChanged(String),
    /// The pod of this name is gone.
    PodGone(String),
    /// The script reached this point.
    Marked(String),
}

impl World {
    /// The Job with this name, if there is one now.
    #[must_use]
    pub fn job(&self, name: &str) -> Option<&Seen<Job>> {
        self.jobs.get(name)
    }

    /// All Jobs that there are now, by name.
    pub fn jobs(&self) -> impl Iterator<Item = &Seen<Job>> {
        self.jobs.values()
    }

    /// The pod with this name, if there is one now.
    #[must_use]
    pub fn pod(&self, name: &str) -> Option<&Seen<Pod>> {
        self.pods.get(name)
    }

    /// All pods that there are now, by name.
    pub fn pods(&self) -> impl Iterator<Item = &Seen<Pod>> {
        self.pods.values()
    }

    /// All objects of this kind, neither Jobs nor pods, that there are now, by name.
    pub fn objects(&self, kind: &str) -> impl Iterator<Item = &Seen<Object>> {
        self.objects.values().filter(move |object| object.kind == kind)
    }

    /// Whether an object with this UID was ever seen.
    #[must_use]
    pub fn has_known(&self, uid: &str) -> bool {
        self.known.contains(uid)
    }

    /// The Events written so far, in order.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The answer to the script's write of this name.
    #[must_use]
    pub fn answer(&self, to: &str) -> Option<&Answer> {
        self.answers.get(to)
    }

    /// Whether the script has passed this point.
    #[must_use]
    pub fn has_passed(&self, mark: &str) -> bool {
        self.marks.iter().any(|passed| passed == mark)
    }

    /// The world after one more entry.
    pub fn apply(&mut self, revision: u64, at: Duration, fact: &Fact) {
        self.revision = revision;
        self.at = at;
        self.change = match fact {
            Fact::Job(job) => self.job_seen(job),
            Fact::Pod(pod) => self.pod_seen(pod),
            Fact::JobGone(job) => {
                let name = name(&job.metadata);
                self.jobs.remove(&name);
                Change::JobGone(name)
            }
            Fact::PodGone(pod) => {
                let name = name(&pod.metadata);
                self.pods.remove(&name);
                Change::PodGone(name)
            }
            Fact::Object(object) => {
                self.objects.insert((object.kind.clone(), name(&object.metadata)), object.clone());
                Change::Nothing
            }
            Fact::ObjectGone(object) => {
                self.objects.remove(&(object.kind.clone(), name(&object.metadata)));
                Change::Nothing
            }
            Fact::Notice(notice) => {
                Arc::make_mut(&mut self.notices).push(notice.clone());
                Change::Nothing
            }
            Fact::Answer(answer) => {
                Arc::make_mut(&mut self.answers).insert(answer.to.clone(), answer.clone());
                Change::Nothing
            }
            Fact::Mark(mark) => {
                Arc::make_mut(&mut self.marks).push(mark.clone());
                Change::Marked(mark.clone())
            }
            Fact::Regime(regime) => {
                Arc::make_mut(&mut self.marks).push(regime.mark.clone());
                Change::Marked(regime.mark.clone())
            }
            Fact::Gap(_) | Fact::Apart(_) => Change::Nothing,
        };
    }

    fn job_seen(&mut self, job: &Seen<Job>) -> Change {
        let name = name(&job.metadata);
        self.jobs.insert(name.clone(), job.clone());
        if self.learns(&job.metadata) { Change::JobAdded(name) } else { Change::JobChanged(name) }
    }

    fn pod_seen(&mut self, pod: &Seen<Pod>) -> Change {
        let name = name(&pod.metadata);
        self.pods.insert(name.clone(), pod.clone());
        if self.learns(&pod.metadata) { Change::PodAdded(name) } else { Change::PodChanged(name) }
    }

    fn learns(&mut self, metadata: &ObjectMeta) -> bool {
        let uid = metadata.uid.clone().unwrap_or_default();
        !self.known.contains(&uid) && Arc::make_mut(&mut self.known).insert(uid)
    }
}

fn name(metadata: &ObjectMeta) -> String {
    metadata.name.clone().unwrap_or_default()
}

impl Timeline {
    /// The empty world, then the world after each entry.
    pub fn worlds(&self) -> impl Iterator<Item = World> + '_ {
        let mut world = World::default();
        std::iter::once(world.clone()).chain(self.entries().iter().map(move |entry| {
            world.apply(entry.revision, entry.at, &entry.fact);
            world.clone()
        }))
    }
}
