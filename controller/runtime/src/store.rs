//! What the watch of one resource showed, in an ordered map: no decision can depend on the order of a hash.
//!
//! Nothing goes back in time: an object is replaced only by a newer version of itself, and a list that is older than what is
//! known already is not taken over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::feed::{Change, Taken};
use crate::key::{Key, Uid};

/// After so many lists that are older than what is known, history itself went back, for example by a restored backup.
pub const OLDER_LISTS_AT_MOST: u32 = 8;

/// What a store needs to know of an object.
pub trait Cached {
    /// Namespace and name.
    fn key(&self) -> Key;
    /// `metadata.uid`.
    fn uid(&self) -> &Uid;
    /// `metadata.resourceVersion` as a number, see [`feed::revision`](crate::feed::revision).
    fn revision(&self) -> u64;
    /// Why it could not be read as a whole, if so.
    fn complaint(&self) -> Option<&str>;
}

/// One difference that a change made: what was there, what is there now.
#[derive(Debug)]
pub struct Delta<T> {
    /// Before.
    pub old: Option<Arc<T>>,
    /// After.
    pub new: Option<Arc<T>>,
}

/// Objects by key.
#[derive(Debug)]
pub struct Store<T> {
    objects: BTreeMap<Key, Arc<T>>,
    /// The newest version seen, of any object or bookmark.
    revision: u64,
    listed: bool,
    refused: u32,
    /// How often history went back.
    rewinds: u64,
    /// History went back elsewhere: what is here counts only once it is listed again.
    is_of_the_past: bool,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { objects: BTreeMap::new(), revision: 0, listed: false, refused: 0, rewinds: 0, is_of_the_past: false }
    }
}

impl<T: Cached> Store<T> {
    /// Takes a change over and returns what it changed, in the order of keys.
    pub fn apply(&mut self, change: Change<T>) -> (Taken, Vec<Delta<T>>) {
        match change {
            Change::Listed { objects, revision } => self.replace(objects, revision),
            _ if self.is_of_the_past => (Taken::Older, Vec::new()),
            Change::Applied(object) => (Taken::Yes, self.put(object).into_iter().collect()),
            Change::Deleted(object) => (Taken::Yes, self.remove(&object).into_iter().collect()),
            Change::Unreadable(key) => {
                let old = self.objects.remove(&key);
                (Taken::Yes, old.into_iter().map(|old| Delta { old: Some(old), new: None }).collect())
            }
            Change::Progress(revision) => {
                self.revision = self.revision.max(revision);
                (Taken::Yes, Vec::new())
            }
        }
    }

    /// The object of this name.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Arc<T>> {
        self.objects.get(key)
    }

    /// The objects of the namespace in which `from` is the first key, in the order of their names.
    pub fn of_namespace<'a>(&'a self, from: &'a Key) -> impl Iterator<Item = (&'a Key, &'a Arc<T>)> {
        self.objects.range(from..).take_while(|(key, _)| key.namespace == from.namespace)
    }

    /// The newest version seen.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How often history went back, for example to a backup.
    #[must_use]
    pub fn rewinds(&self) -> u64 {
        self.rewinds
    }

    /// Whether history went back elsewhere and there was no list here since.
    #[must_use]
    pub fn is_of_the_past(&self) -> bool {
        self.is_of_the_past
    }

    /// History went back elsewhere: only a list is taken over from now on, whatever its version.
    pub fn await_list(&mut self) {
        self.is_of_the_past = true;
    }

    /// Whether there was a list yet.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.listed
    }

    fn replace(&mut self, objects: Vec<T>, revision: u64) -> (Taken, Vec<Delta<T>>) {
        let goes_back = revision < self.revision;
        if goes_back && !self.is_of_the_past {
            self.refused = self.refused.saturating_add(1);
            if self.refused < OLDER_LISTS_AT_MOST {
                return (Taken::Older, Vec::new());
            }
            tracing::warn!(revision, known = self.revision, "the API server's history went back; starting over");
            self.rewinds = self.rewinds.saturating_add(1);
        }
        (self.refused, self.is_of_the_past) = (0, false);
        let listed: BTreeSet<Key> = objects.iter().map(T::key).collect();
        let gone: Vec<Key> = self.objects.keys().filter(|key| !listed.contains(*key)).cloned().collect();
        let mut steps: Vec<Delta<T>> =
            gone.iter().map(|key| Delta { old: self.objects.remove(key), new: None }).collect();
        if goes_back {
            // Lower versions are no echoes now.
            steps.extend(objects.into_iter().map(|object| self.insert(object)));
        } else {
            steps.extend(objects.into_iter().filter_map(|object| self.put(object)));
        }
        self.revision = revision;
        self.listed = true;
        (Taken::Yes, steps)
    }

    /// (SYN-006)
    fn put(&mut self, object: T) -> Option<Delta<T>> {
        let key = object.key();
        self.revision = self.revision.max(object.revision());
        let old = self.objects.get(&key);
        // The same version is no news (SYN-006), an older one is an echo.
        if old.is_some_and(|old| old.uid() == object.uid() && old.revision() >= object.revision()) {
            return None;
        }
        Some(self.insert(object))
    }

    fn insert(&mut self, object: T) -> Delta<T> {
        let new = Arc::new(object);
        let old = self.objects.insert(new.key(), Arc::clone(&new));
        Delta { old, new: Some(new) }
    }

    fn remove(&mut self, object: &T) -> Option<Delta<T>> {
        let key = object.key();
        self.revision = self.revision.max(object.revision());
        let known = self.objects.get(&key)?;
        if known.uid() != object.uid() || known.revision() > object.revision() {
            return None;
        }
        Some(Delta { old: self.objects.remove(&key), new: None })
    }
}

#[cfg(test)]
mod tests;
