//! What is done to watches: held, cut, refused.
//!
//! A held watch says nothing until it is let go, and then everything in its order: nothing is lost, as with an API server that is
//! slow to tell. So it is where one object's news is late: everything behind it waits with it, for a watch tells what happened in
//! the order of resourceVersions, and controllers rest on that. A watch that is cut ends in the middle of whatever it says.

use super::watch_event::ObjectName;
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
    /// From which objects on the watches of a resource are held.
    held_from: watch::Sender<BTreeMap<String, ObjectName>>,
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

    /// Holds what watches of this resource say, from the first event on that is about an object of this namespace whose name begins
    /// so.
    pub fn hold_from(&self, on: &str, first: ObjectName) {
        self.held_from.send_modify(|held| {
            held.insert(on.to_owned(), first);
        });
    }

    /// Lets it go.
    pub fn release(&self, on: &str) {
        self.held.send_if_modified(|held| held.remove(on));
        self.held_from.send_if_modified(|held| held.remove(on).is_some());
    }

    /// Lets everything go, and refuses nothing any more.
    pub fn recover(&self) {
        self.held.send_modify(BTreeSet::clear);
        self.held_from.send_modify(BTreeMap::clear);
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
        let (held, held_from) = (self.held.subscribe(), self.held_from.subscribe());
        Follower { on: on.to_owned(), held, held_from, cuts, begun }
    }
}

/// One open watch.
#[derive(Debug)]
pub struct Follower {
    on: String,
    held: watch::Receiver<BTreeSet<String>>,
    held_from: watch::Receiver<BTreeMap<String, ObjectName>>,
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

    /// Returns when the watch may speak of this object. Nothing is asked about it where no object's news is late.
    async fn may_speak_of(&mut self, about: impl Fn() -> Option<ObjectName>) {
        self.may_speak().await;
        let is_first = |first: &ObjectName| {
            about().is_some_and(|it| it.namespace == first.namespace && it.name.starts_with(&first.name))
        };
        let on = &self.on;
        if self.held_from.wait_for(|held| !held.get(on).is_some_and(is_first)).await.is_err() {
            pending::<()>().await;
        }
    }

    /// The next thing that the watch says, once it may speak of that; an error when it is cut before. `about` is the object that it is
    /// about.
    pub async fn unless_cut<T>(
        &mut self,
        next: impl Future<Output = Option<io::Result<T>>>,
        about: impl Fn(&T) -> Option<ObjectName>,
    ) -> Option<io::Result<T>> {
        let mut cuts = self.cuts.clone();
        let (on, begun) = (self.on.clone(), self.begun);
        let cut = cuts.wait_for(|cuts| cuts.get(&on).is_some_and(|cuts| *cuts > begun));
        tokio::select! {
            biased;
            Ok(_) = cut => Some(Err(io::Error::other("the watch is cut"))),
            said = async {
                let said = next.await;
                self.may_speak_of(|| said.as_ref()?.as_ref().ok().and_then(&about)).await;
                said
            } => said,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn named(name: &str) -> ObjectName {
        ObjectName { namespace: "n".to_owned(), name: name.to_owned() }
    }

    /// What the watch does, at once, with news of an object.
    fn says<'n>(watch: &mut Follower, name: &'n str) -> Option<io::Result<&'n str>> {
        watch.unless_cut(async { Some(Ok(name)) }, |name| Some(named(name))).now_or_never().flatten()
    }

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
        let said = |watch: &mut Follower| says(watch, "").unwrap().ok();
        assert_eq!((said(&mut jobs), said(&mut pods)), (Some(""), None));
        assert_eq!(said(&mut watches.follow("pods")), Some(""), "the next one is whole");
    }

    #[test]
    fn a_held_watch_can_be_cut() {
        let watches = Watches::default();
        let mut pods = watches.follow("pods");
        watches.hold("pods");
        assert!(says(&mut pods, "").is_none());
        watches.cut("pods");
        assert!(says(&mut pods, "").unwrap().is_err());
    }

    #[test]
    fn a_watch_is_held_from_one_objects_news_on() {
        let watches = Watches::default();
        let (mut jobs, mut pods, mut others) = (watches.follow("jobs"), watches.follow("pods"), watches.follow("pods"));
        watches.hold_from("pods", named("job-1-"));
        let passes = |watch: &mut Follower, name| says(watch, name).is_some();
        assert!(passes(&mut pods, "job-0-x") && passes(&mut pods, "job-10-x") && passes(&mut jobs, "job-1-x"));
        // Whatever comes after it comes after it: whoever asks for the next event has had this one.
        assert!(!passes(&mut pods, "job-1-x"));
        assert!(passes(&mut others, "job-0-x"), "another watch has not come to it");
        watches.release("pods");
        assert!(passes(&mut pods, "job-1-x"));
        watches.hold_from("pods", named("job-1-"));
        watches.recover();
        assert!(passes(&mut pods, "job-1-x"));
        watches.hold_from("pods", ObjectName { namespace: "other".to_owned(), ..named("job-1-") });
        assert!(passes(&mut pods, "job-1-x"), "a namesake is somebody else");
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
