//! The way of a controller's requests to the API server: what passes is written down, and a case may have things happen on it.
//!
//! A [`Wire`] is what a proxy asks and tells: pure but for its locks. Requests of one namespace are matched by [`RequestMatcher`]s, each with a
//! [`Mishap`], and go to whoever listens to that namespace. Watches of all namespaces come on one connection, so what is done to
//! them is done to every case beside. Instances of one controller share a wire: who of them leads is told by the Leases that they write,
//! and everybody who listens hears of those, in whatever namespace they are.

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
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    watch,
};

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
    election: watch::Sender<Election>,
}

/// Who of several instances leads, as far as their Leases tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Election {
    /// The instance that has claimed the Lease last, if it has not given it back.
    pub leader: Option<String>,
    /// Those that have asked for it.
    pub candidates: BTreeSet<String>,
    /// Namespace and name of the Lease.
    pub lease: Option<(String, String)>,
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
        locked(&self.rules).add(namespace, None, matcher, mishap)
    }

    /// Has something happen to what one of several instances asks about this namespace.
    pub(crate) fn meet_one(&self, instance: &str, namespace: &str, matcher: RequestMatcher, mishap: Mishap) -> Met {
        locked(&self.rules).add(namespace, Some(instance), matcher, mishap)
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

    /// A write comes, of one of several instances or of the only one: what is to be done to it, if anything.
    pub fn arrives(&self, by: Option<&str>, target: &Target, body: &[u8]) -> Option<Order> {
        locked(&self.rules).arrives(by, target, body)
    }

    /// A request about this namespace is over.
    pub fn passed(&self, namespace: &str, passed: Passed) {
        if let Some(listener) = locked(&self.listeners).get(namespace) {
            // Who does not listen any more does not want it.
            let _ = listener.send(passed);
        }
    }

    /// A request of an election is over; the Lease is in this namespace.
    pub(crate) fn settled(&self, namespace: &str, passed: &Passed) {
        self.election.send_if_modified(|election| election.goes_on(namespace, &passed.request));
        for listener in locked(&self.listeners).values() {
            let _ = listener.send(passed.clone());
        }
    }

    /// What was known of instances that are gone is known no more.
    pub(crate) fn election_begins(&self) {
        self.election
            .send_modify(|election| *election = Election { lease: election.lease.take(), ..Election::default() });
    }

    /// Who leads, where there are several instances.
    pub(crate) fn election(&self) -> watch::Receiver<Election> {
        self.election.subscribe()
    }
}

impl Election {
    /// An instance has asked for the Lease; whether that tells anything new.
    fn goes_on(&mut self, namespace: &str, request: &Request) -> bool {
        let before = self.clone();
        self.candidates.extend(request.instance.clone());
        if !request.name.is_empty() {
            self.lease = Some((namespace.to_owned(), request.name.clone()));
        }
        if let Some(lease) = request.lease.as_ref().filter(|_| request.writes() && request.is_taken()) {
            self.leader = request.instance.clone().filter(|_| !lease.holder.is_empty());
        }
        *self != before
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_oracle::Tenure;
    use rstest::rstest;

    fn asked(by: &str, verb: &str, holder: &str, code: u16) -> Request {
        let lease = Some(Tenure { holder: holder.to_owned(), seconds: 4 });
        let (verb, instance) = (verb.to_owned(), Some(by.to_owned()));
        Request { verb, on: "leases".to_owned(), code: Some(code), instance, lease, ..Request::default() }
    }

    #[rstest]
    #[case::whoever_claims_it(&[asked("one", "create", "a", 201)], Some("one"))]
    #[case::a_refused_claim_is_none(&[asked("one", "create", "a", 201), asked("other", "update", "b", 409)], Some("one"))]
    #[case::a_look_is_none(&[asked("one", "create", "a", 201), asked("other", "get", "a", 200)], Some("one"))]
    #[case::the_other_takes_over(&[asked("one", "create", "a", 201), asked("other", "update", "b", 200)], Some("other"))]
    #[case::it_is_given_back(&[asked("one", "create", "a", 201), asked("one", "update", "", 200)], None)]
    fn the_lease_tells_who_leads(#[case] requests: &[Request], #[case] leader: Option<&str>) {
        let mut election = Election::default();
        for request in requests {
            election.goes_on("kube-system", request);
        }
        assert_eq!(election.leader.as_deref(), leader);
    }
}
