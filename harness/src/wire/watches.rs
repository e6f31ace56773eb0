//! What is done to watches: held, cut, refused.
//!
//! A held watch says nothing until it is let go, and then everything in its order: nothing is lost, as with an API server that is
//! slow to tell. A watch that is cut ends in the middle of whatever it says.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::{Future, pending},
    io,
};
use tokio::sync::watch;

/// The watches of one controller.
#[derive(Debug, Default)]
pub struct Watches {
    held: watch::Sender<BTreeSet<String>>,
    /// How often watches of a resource were cut.
    cuts: watch::Sender<BTreeMap<String, u32>>,
    /// How many watches of a resource are still to be refused as expired.
    expired: watch::Sender<BTreeMap<String, u32>>,
}

impl Watches {
    /// Holds what watches of this resource say.
    pub fn hold(&self, on: &str) {
        self.held.send_if_modified(|held| held.insert(on.to_owned()));
    }

    /// Lets it go.
    pub fn release(&self, on: &str) {
        self.held.send_if_modified(|held| held.remove(on));
    }

    /// Lets everything go, and refuses nothing any more.
    pub fn recover(&self) {
        self.held.send_modify(BTreeSet::clear);
        self.expired.send_modify(BTreeMap::clear);
    }

    /// Cuts the watches of this resource that are open now.
    pub fn cut(&self, on: &str) {
        self.cuts.send_modify(|cuts| *cuts.entry(on.to_owned()).or_default() += 1);
    }

    /// Cuts the watches of this resource, and answers the next so many with 410.
    pub fn expire(&self, on: &str, times: u32) {
        self.expired.send_modify(|expired| {
            expired.insert(on.to_owned(), times);
        });
        self.cut(on);
    }

    /// How many watches of this resource are still to be refused.
    #[must_use]
    pub fn still_refused(&self, on: &str) -> u32 {
        self.expired.borrow().get(on).copied().unwrap_or(0)
    }

    /// A watch of this resource is asked for: whether it is refused with 410.
    pub fn refuses(&self, on: &str) -> bool {
        let mut is_refused = false;
        self.expired.send_if_modified(|expired| {
            let left = expired.get_mut(on).filter(|left| **left > 0);
            is_refused = left.map(|left| *left -= 1).is_some();
            is_refused
        });
        is_refused
    }

    /// A watch of this resource begins.
    #[must_use]
    pub fn follow(&self, on: &str) -> Follower {
        let cuts = self.cuts.subscribe();
        let begun = cuts.borrow().get(on).copied().unwrap_or(0);
        Follower { on: on.to_owned(), held: self.held.subscribe(), cuts, begun }
    }
}

/// One open watch.
#[derive(Debug)]
pub struct Follower {
    on: String,
    held: watch::Receiver<BTreeSet<String>>,
    cuts: watch::Receiver<BTreeMap<String, u32>>,
    begun: u32,
}

impl Follower {
    /// Returns when the watch may speak.
    pub async fn may_speak(&mut self) {
        let on = &self.on;
        if self.held.wait_for(|held| !held.contains(on)).await.is_err() {
            pending::<()>().await;
        }
    }

    /// The next thing that the watch says, once it may speak; an error when it is cut before.
    pub async fn unless_cut<T>(&mut self, next: impl Future<Output = Option<io::Result<T>>>) -> Option<io::Result<T>> {
        let mut cuts = self.cuts.clone();
        let (on, begun) = (self.on.clone(), self.begun);
        let cut = cuts.wait_for(|cuts| cuts.get(&on).is_some_and(|cuts| *cuts > begun));
        tokio::select! {
            biased;
            Ok(_) = cut => Some(Err(io::Error::other("the watch is cut"))),
            said = async {
                let said = next.await;
                self.may_speak().await;
                said
            } => said,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    #[tokio::test]
    async fn only_watches_of_the_resource_are_held_and_cut() {
        let watches = Watches::default();
        let (mut jobs, mut pods) = (watches.follow("jobs"), watches.follow("pods"));
        watches.hold("jobs");
        assert!(jobs.may_speak().now_or_never().is_none());
        assert!(pods.may_speak().now_or_never().is_some());
        watches.release("jobs");
        assert!(jobs.may_speak().now_or_never().is_some());
        watches.cut("pods");
        let said = |watch: &mut Follower| watch.unless_cut(async { Some(Ok(7)) }).now_or_never().unwrap().unwrap().ok();
        assert_eq!((said(&mut jobs), said(&mut pods)), (Some(7), None));
        assert_eq!(said(&mut watches.follow("pods")), Some(7), "the next one is whole");
    }

    #[test]
    fn a_held_watch_can_be_cut() {
        let watches = Watches::default();
        let mut pods = watches.follow("pods");
        watches.hold("pods");
        assert!(pods.unless_cut(async { Some(Ok(7)) }).now_or_never().is_none());
        watches.cut("pods");
        assert!(pods.unless_cut(async { Some(Ok(7)) }).now_or_never().flatten().unwrap().is_err());
    }

    #[test]
    fn so_many_watches_are_refused_as_was_said() {
        let watches = Watches::default();
        watches.expire("pods", 2);
        assert_eq!([(); 3].map(|()| watches.refuses("pods")), [true, true, false]);
        assert!(!watches.refuses("jobs"));
        watches.expire("pods", 2);
        watches.recover();
        assert!(!watches.refuses("pods"));
    }
}
