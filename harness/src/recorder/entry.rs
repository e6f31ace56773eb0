//! From what the API server says of an object to an entry in the book, each version once.

use super::{
    Book,
    listing::{FeedError, listed},
    resource::{Kept, Watched},
};
use jobsworth_api::Resource;
use jobsworth_oracle::{Fact, fact::Notice, recorded::Kind};
use serde_json::Value;
use std::collections::BTreeMap;

/// The last revision seen of each object, by resource and UID, and of all that one store has.
#[derive(Default)]
pub(super) struct Progress {
    objects: BTreeMap<(Resource, String), (u64, State)>,
    newest: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    There,
    Gone,
}

/// What the API server has at one moment.
pub(super) struct Target {
    revision: u64,
    objects: BTreeMap<String, u64>,
}

impl Progress {
    fn note(&mut self, resource: Resource, uid: String, revision: u64, state: State) {
        self.objects.insert((resource, uid), (revision, state));
    }

    /// The newest revision known of what is kept in the store of Jobs; 0 before the first.
    pub(super) const fn newest(&self) -> u64 {
        self.newest
    }

    /// There is something as new as this in the store of Jobs: seen, or made by a request that was answered.
    pub(super) fn raise(&mut self, revision: u64) {
        self.newest = self.newest.max(revision);
    }

    /// Whether everything in `target` has been seen, and nothing that it lacks is believed to be there.
    pub(super) fn has_reached(&self, resource: &Resource, target: &Target) -> bool {
        let seen_all = target.objects.iter().all(|(uid, revision)| {
            self.objects.get(&(resource.clone(), uid.clone())).is_some_and(|(seen, _)| seen >= revision)
        });
        let nothing_else =
            self.objects.iter().filter(|((of, _), _)| of == resource).all(|((_, uid), (seen, state))| {
                *state == State::Gone || target.objects.contains_key(uid) || *seen > target.revision
            });
        seen_all && nothing_else
    }
}

impl Target {
    /// The revision at which it was read.
    pub(super) const fn revision(&self) -> u64 {
        self.revision
    }
}

/// What the API server has of a resource now, read consistently.
pub(super) async fn target(client: &kube::Client, namespace: &str, watched: &Watched) -> Result<Target, FeedError> {
    let list = listed(client, namespace, watched).await?;
    let shape = || FeedError::Shape(watched.name(), "no revision".to_owned());
    let revision = list.metadata.resource_version.parse().map_err(|_| shape())?;
    let objects = list.items.iter().map(|item| identity(item).ok_or_else(shape)).collect::<Result<_, _>>()?;
    Ok(Target { revision, objects })
}

pub(super) fn identity(object: &Value) -> Option<(String, u64)> {
    let uid = object.pointer("/metadata/uid")?.as_str()?.to_owned();
    let revision = object.pointer("/metadata/resourceVersion")?.as_str()?.parse().ok()?;
    Some((uid, revision))
}

pub(super) fn enter(book: &Book, watched: &Watched, object: Value, state: State) -> Result<(), String> {
    let (uid, revision) = identity(&object).ok_or("an object without UID or revision")?;
    {
        let mut pages = book.pages();
        // A relist delivers again what was seen already; it is not history.
        let resource = watched.resource.clone();
        if pages.seen.objects.get(&(resource.clone(), uid.clone())).is_some_and(|(seen, _)| *seen >= revision) {
            return Ok(());
        }
        if !pages.apart.contains(&resource) {
            if pages.cut.is_some_and(|cut| revision > cut.revision) {
                return Ok(());
            }
            // Before it is written down: who looks for the end of the recording must see what is on its way there.
            pages.seen.raise(revision);
        }
        pages.seen.note(resource, uid, revision, state);
    }
    let arrived = |kind: &Kind, object| kind.arrived(object, &watched.resource).map_err(|error| error.to_string());
    let fact = match (watched.kept, state) {
        (Kept::Versions(kind), State::There) => Fact::Object(arrived(kind, object)?),
        (Kept::Versions(kind), State::Gone) => Fact::ObjectGone(arrived(kind, object)?),
        (Kept::Notice, State::There) => {
            let mut notice = Notice::of(&object);
            notice.count = news(book, &object, notice.count);
            Fact::Notice(notice)
        }
        // Events expire; that is no news.
        (Kept::Notice, State::Gone) => return Ok(()),
    };
    book.enter(revision, fact);
    Ok(())
}

/// How often an Event happened since its last version: the API counts from its beginning.
fn news(book: &Book, event: &Value, count: u32) -> u32 {
    let uid = event.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default().to_owned();
    let before = book.pages().counted.insert(uid, count).unwrap_or(0);
    count.saturating_sub(before)
}
