//! The versions of each object in order: what transition checks walk over.

use crate::{
    fact::Fact,
    recorded::{Recorded, Seen},
    timeline::Timeline,
};
use k8s_openapi::{
    api::{batch::v1::Job, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use std::{collections::BTreeMap, time::Duration};

/// All versions of one object, from its first appearance to its last.
#[derive(Clone, Debug)]
pub struct ObjectHistory<T> {
    /// The object's UID.
    pub uid: String,
    /// The object's name.
    pub name: String,
    /// Its versions, ascending by revision; never empty.
    pub versions: Vec<Version<T>>,
    /// The revision at which it was removed, if it was.
    pub gone: Option<u64>,
}

/// One version of an object.
#[derive(Clone, Debug)]
pub struct Version<T> {
    /// The revision of this version.
    pub revision: u64,
    /// When it arrived.
    pub at: Duration,
    /// The object.
    pub object: Seen<T>,
}

impl<T> ObjectHistory<T> {
    /// The first version that was seen.
    ///
    /// # Panics
    /// Never: a history begins with a version.
    #[must_use]
    pub fn first(&self) -> &Version<T> {
        self.versions.first().expect("a history begins with a version")
    }

    /// The last version that was seen; for a removed object the one in its DELETED frame.
    ///
    /// # Panics
    /// Never: a history begins with a version.
    #[must_use]
    pub fn last(&self) -> &Version<T> {
        self.versions.last().expect("a history begins with a version")
    }

    /// Each version with the one before it.
    pub fn steps(&self) -> impl Iterator<Item = (&Version<T>, &Version<T>)> {
        self.versions.iter().zip(self.versions.iter().skip(1))
    }

    /// The first version for which `holds` is true.
    pub fn first_with(&self, holds: impl Fn(&T) -> bool) -> Option<&Version<T>> {
        self.versions.iter().find(|version| holds(&version.object))
    }

    /// The version in force at `revision`: the last one at or before it.
    #[must_use]
    pub fn at(&self, revision: u64) -> Option<&Version<T>> {
        if self.gone.is_some_and(|gone| gone <= revision) {
            return None;
        }
        self.versions.iter().rev().find(|version| version.revision <= revision)
    }
}

impl Timeline {
    /// Every object of this kind that was seen, in order of first appearance.
    #[must_use]
    pub fn histories<K: Recorded>(&self) -> Vec<ObjectHistory<K>> {
        let mut histories: Vec<ObjectHistory<K>> = Vec::new();
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.entries() {
            let Some(object) = entry.fact.version::<K>() else { continue };
            let metadata = object.metadata();
            let uid = metadata.uid.clone().unwrap_or_default();
            let name = metadata.name.clone().unwrap_or_default();
            let at = *place.entry(uid.clone()).or_insert_with(|| {
                histories.push(ObjectHistory { uid, name, versions: Vec::new(), gone: None });
                histories.len() - 1
            });
            if matches!(entry.fact, Fact::ObjectGone(_)) {
                histories[at].gone = Some(entry.revision);
            }
            let version = Version { revision: entry.revision, at: entry.at, object: object.clone() };
            histories[at].versions.push(version);
        }
        histories
    }

    /// Every Job that was seen, in order of first appearance.
    #[must_use]
    pub fn jobs(&self) -> Vec<ObjectHistory<Job>> {
        self.histories()
    }

    /// Every pod that was seen, in order of first appearance.
    #[must_use]
    pub fn pods(&self) -> Vec<ObjectHistory<Pod>> {
        self.histories()
    }

    /// Every pod whose controller was, at its first appearance, the Job with this UID.
    #[must_use]
    pub fn pods_of(&self, job_uid: &str) -> Vec<ObjectHistory<Pod>> {
        let mut pods = self.pods();
        pods.retain(|pod| controller(&pod.first().object.metadata) == Some(job_uid));
        pods
    }
}

/// The UID of the object's controller, if it has one.
#[must_use]
pub fn controller(metadata: &ObjectMeta) -> Option<&str> {
    metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true)).map(|o| o.uid.as_str())
}
