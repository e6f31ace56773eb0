//! UIDs of objects that this process made, so that they can be deleted as its own without being read first.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;

/// Objects that are remembered; those of jobs that ended long ago go first.
const REMEMBERED_AT_MOST: NonZeroUsize = NonZeroUsize::new(16_384).unwrap();

/// UIDs by path. What is not known is read.
#[derive(Debug)]
pub struct Made(Mutex<LruCache<String, String>>);

impl Default for Made {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(REMEMBERED_AT_MOST)))
    }
}

impl Made {
    /// Remembers an object.
    pub fn keep(&self, path: &str, uid: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(path.to_owned(), uid.to_owned());
    }

    /// The UID of the object that was made at this path, to be used once.
    #[must_use]
    pub fn take(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop(path)
    }
}
