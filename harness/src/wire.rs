//! The way of a controller's requests to the API server: what passes is written down, and a case may have things happen on it.
//!
//! A [`Wire`] is what a proxy asks and tells: pure but for its locks. Requests of one namespace are matched by [`RequestMatcher`]s, each with a
//! [`Mishap`], and go to whoever listens to that namespace. Watches of all namespaces come on one connection, so what is done to
//! them is done to every case beside.

mod content;
mod mishap;
mod protobuf;
mod request_matcher;
mod rules;
mod target;
mod watch_event;
mod watches;

use jobsworth_oracle::Request;
use rules::Rules;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub use content::Content;
pub use mishap::{Mishap, Refusal};
pub use request_matcher::{RequestMatcher, any_write, change_of, creation_of, deletion_of};
pub use rules::{Met, Order};
pub use target::Target;
pub use watch_event::{Framing, ObjectName, WatchEvents};
pub use watches::{Follower, Watches};

/// A request that has passed, and when it came.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Everything but the time.
    pub request: Request,
    /// When it came.
    pub came: Instant,
}

/// What happens between one controller and the API server.
#[derive(Debug, Default)]
pub struct Wire {
    rules: Mutex<Rules>,
    listeners: Mutex<BTreeMap<String, UnboundedSender<Passed>>>,
    watches: Watches,
}

impl Wire {
    /// From now on every request about this namespace is heard, once it is over.
    pub fn listen(&self, namespace: &str) -> UnboundedReceiver<Passed> {
        let (listener, heard) = unbounded_channel();
        locked(&self.listeners).insert(namespace.to_owned(), listener);
        heard
    }

    /// Has something happen to requests about this namespace.
    pub fn meet(&self, namespace: &str, matcher: RequestMatcher, mishap: Mishap) -> Met {
        locked(&self.rules).add(namespace, matcher, mishap)
    }

    /// Lets go of a namespace: nothing more happens to its requests, those that are held go on, and nobody listens.
    pub fn leave(&self, namespace: &str) {
        locked(&self.rules).forget(namespace);
        locked(&self.listeners).remove(namespace);
    }

    /// What is done to watches.
    #[must_use]
    pub const fn watches(&self) -> &Watches {
        &self.watches
    }

    /// A write comes: what is to be done to it, if anything.
    pub fn arrives(&self, target: &Target, body: &[u8]) -> Option<Order> {
        locked(&self.rules).arrives(target, body)
    }

    /// A request about this namespace is over.
    pub fn passed(&self, namespace: &str, passed: Passed) {
        if let Some(listener) = locked(&self.listeners).get(namespace) {
            // Who does not listen any more does not want it.
            let _ = listener.send(passed);
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
