//! What a client that had followed every watch would have known after an entry.

use crate::{
    fact::{Answer, Fact, Notice},
    lag::{self, Lag},
    recorded::{Recorded, Seen, Sighting},
    request::Request,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync, VectorSync};
use std::{any::TypeId, collections::BTreeMap, sync::Arc, time::Duration};

/// The state of the namespace after one entry, and what that entry changed. Worlds that follow each other share what is the same in
/// both, so that a timeline of many objects has room for all of its worlds.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Arrival of the entry that made this world.
    pub at: Duration,
    /// Revision of that entry.
    pub revision: u64,
    /// What that entry changed.
    pub change: Change,
    /// By kind, then by name.
    objects: BTreeMap<TypeId, RedBlackTreeMapSync<String, Sighting>>,
    known: RedBlackTreeSetSync<String>,
    notices: Arc<Vec<Notice>>,
    answers: Arc<BTreeMap<String, Answer>>,
    requests: VectorSync<Arc<Request>>,
    marks: Arc<Vec<String>>,
    lag: Lag,
}

/// What the latest entry changed.
#[derive(Clone, Debug, Default)]
pub enum Change {
    /// Nothing that was watched.
    #[default]
    Nothing,
    /// This object was seen for the first time.
    Added(Sighting),
    /// There is this new version of an object.
    Changed(Sighting),
    /// This object is gone; its last version.
    Gone(Sighting),
    /// The script reached this point.
    Marked(String),
}

impl World {
    /// All objects of this kind that there are now, by name.
    pub fn all<K: Recorded>(&self) -> impl Iterator<Item = &Seen<K>> {
        self.of_kind::<K>().into_iter().flat_map(|objects| objects.values()).filter_map(Sighting::of)
    }

    /// The object of this kind with this name, if there is one now.
    #[must_use]
    pub fn named<K: Recorded>(&self, name: &str) -> Option<&Seen<K>> {
        self.of_kind::<K>()?.get(name)?.of()
    }

    /// The object of this kind that was seen for the first time just now, if that is what happened.
    #[must_use]
    pub fn added<K: Recorded>(&self) -> Option<&Seen<K>> {
        match &self.change {
            Change::Added(sighting) => sighting.of(),
            _ => None,
        }
    }

    /// The new version of an object of this kind that came just now, if that is what happened.
    #[must_use]
    pub fn changed<K: Recorded>(&self) -> Option<&Seen<K>> {
        match &self.change {
            Change::Changed(sighting) => sighting.of(),
            _ => None,
        }
    }

    /// The last version of the object of this kind that went just now, if that is what happened.
    #[must_use]
    pub fn gone<K: Recorded>(&self) -> Option<&Seen<K>> {
        match &self.change {
            Change::Gone(sighting) => sighting.of(),
            _ => None,
        }
    }

    /// The Job with this name, if there is one now.
    #[must_use]
    pub fn job(&self, name: &str) -> Option<&Seen<Job>> {
        self.named(name)
    }

    /// All Jobs that there are now, by name.
    pub fn jobs(&self) -> impl Iterator<Item = &Seen<Job>> {
        self.all()
    }

    /// The name of the Job that has a new version since just now, if that is what happened.
    #[must_use]
    pub fn changed_job(&self) -> Option<&str> {
        self.changed::<Job>()?.metadata.name.as_deref()
    }

    /// The pod with this name, if there is one now.
    #[must_use]
    pub fn pod(&self, name: &str) -> Option<&Seen<Pod>> {
        self.named(name)
    }

    /// All pods that there are now, by name.
    pub fn pods(&self) -> impl Iterator<Item = &Seen<Pod>> {
        self.all()
    }

    fn of_kind<K: Recorded>(&self) -> Option<&RedBlackTreeMapSync<String, Sighting>> {
        self.objects.get(&Sighting::view_of::<K>())
    }

    /// The object with this UID, if there is one now.
    #[must_use]
    pub fn object(&self, uid: &str) -> Option<&Sighting> {
        self.objects.values().flat_map(RedBlackTreeMapSync::values).find(|sighting| sighting.uid() == uid)
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

    /// What the controller has asked for so far, in order.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().map(Arc::as_ref)
    }

    /// Whether the script has passed this point.
    #[must_use]
    pub fn has_passed(&self, mark: &str) -> bool {
        self.marks.iter().any(|passed| passed == mark)
    }

    /// How far behind the machine has been so far.
    #[must_use]
    pub const fn lag(&self) -> Lag {
        self.lag
    }

    /// The world after one more entry.
    pub fn apply(&mut self, revision: u64, at: Duration, fact: &Fact) {
        self.revision = revision;
        self.at = at;
        if let Fact::Object(sighting) = fact
            && lag::is_telling(fact)
        {
            let before = self.objects.get(&sighting.view()).and_then(|objects| objects.get(sighting.name()));
            self.lag.heard(before.map(Sighting::metadata), sighting.metadata(), at);
        }
        self.change = match fact {
            Fact::Object(sighting) => self.seen(sighting),
            Fact::ObjectGone(sighting) => {
                if let Some(kind) = self.objects.get_mut(&sighting.view()) {
                    kind.remove_mut(sighting.name());
                }
                Change::Gone(sighting.clone())
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
            Fact::Request(request) => {
                self.lag.waited(request);
                self.requests.push_back_mut(Arc::clone(request));
                Change::Nothing
            }
            Fact::Gap(_) | Fact::Apart(_) => Change::Nothing,
        };
    }

    fn seen(&mut self, sighting: &Sighting) -> Change {
        let objects = self.objects.entry(sighting.view()).or_default();
        objects.insert_mut(sighting.name().to_owned(), sighting.clone());
        let is_new = !self.known.contains(sighting.uid());
        if is_new {
            self.known.insert_mut(sighting.uid().to_owned());
            return Change::Added(sighting.clone());
        }
        Change::Changed(sighting.clone())
    }
}
