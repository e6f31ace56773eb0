//! Reads history back that a watch can no longer deliver.
//!
//! A restarted API server has no memory of the time before: it answers a watch that asks for it with 410. Its store
//! still has every revision, though, until it is compacted minutes later. So a list is taken at each revision that was
//! missed, and what differs between neighbours is what happened.

use super::{
    Book,
    entry::{self, State},
    listing::{self, FeedError, List},
    resource::Watched,
};
use futures::{StreamExt as _, stream};
use kube::api::{ListParams, VersionMatch};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// More revisions than this are not read one by one.
const MOST_REVISIONS: u64 = 5000;
/// How many lists are asked for at a time.
const READERS: usize = 16;
/// How often reading is begun anew when the server does not answer.
const ATTEMPTS: usize = 20;
const RETRY: Duration = Duration::from_millis(100);

/// Enters what happened after `from`; the revision up to which it is known now. `None` when it cannot be had.
pub(super) async fn read_back(
    client: &kube::Client,
    namespace: &str,
    watched: &Watched,
    book: &Book,
    from: &str,
) -> Option<String> {
    let from = from.parse().ok()?;
    for _ in 0..ATTEMPTS {
        match attempt(client, namespace, watched, book, from).await {
            Ok(revision) => return revision.map(|revision| revision.to_string()),
            // Compacted.
            Err(FeedError::List { source, .. }) if matches!(&*source, kube::Error::Api(status) if status.code == 410) =>
            {
                return None;
            }
            Err(FeedError::List { .. }) => tokio::time::sleep(RETRY).await,
            Err(_) => return None,
        }
    }
    None
}

async fn attempt(
    client: &kube::Client,
    namespace: &str,
    watched: &Watched,
    book: &Book,
    from: u64,
) -> Result<Option<u64>, FeedError> {
    let now = listing::listed_as(client, namespace, watched, &ListParams::default()).await?;
    let Ok(to) = now.metadata.resource_version.parse::<u64>() else { return Ok(None) };
    if to < from || to - from > MOST_REVISIONS {
        return Ok(None);
    }
    let at = async |revision: u64| {
        let parameters = ListParams::default().at(&revision.to_string()).matching(VersionMatch::Exact);
        listing::listed_as(client, namespace, watched, &parameters).await
    };
    let mut known = by_uid(at(from).await?);
    let mut lists = stream::iter(from + 1..=to).map(|revision| async move { (revision, at(revision).await) });
    let mut lists = std::pin::pin!(lists.by_ref().buffered(READERS));
    while let Some((revision, list)) = lists.next().await {
        let list = by_uid(list?);
        for (object, state) in differences(&known, &list, revision) {
            let entered = entry::enter(book, watched, object, state);
            entered.map_err(|why| FeedError::Shape(watched.name(), why))?;
        }
        known = list;
    }
    Ok(Some(to))
}

fn by_uid(list: List) -> BTreeMap<String, Value> {
    list.items.into_iter().filter_map(|item| Some((entry::identity(&item)?.0, item))).collect()
}

/// What happened at a revision: objects written at it, and objects that are no longer there, as a watch would show
/// them.
fn differences(
    before: &BTreeMap<String, Value>,
    after: &BTreeMap<String, Value>,
    revision: u64,
) -> Vec<(Value, State)> {
    let written = after.values().filter(|object| entry::identity(object).is_some_and(|(_, own)| own == revision));
    let uids: BTreeSet<&String> = after.keys().collect();
    let gone = before.iter().filter(|(uid, _)| !uids.contains(uid)).map(|(_, object)| {
        let mut object = object.clone();
        object["metadata"]["resourceVersion"] = revision.to_string().into();
        (object, State::Gone)
    });
    written.map(|object| (object.clone(), State::There)).chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn list(objects: &[(&str, u64)]) -> BTreeMap<String, Value> {
        let object = |(uid, revision): &(&str, u64)| {
            let object = json!({"metadata": {"uid": uid, "resourceVersion": revision.to_string()}});
            ((*uid).to_owned(), object)
        };
        objects.iter().map(object).collect()
    }

    fn seen(before: &[(&str, u64)], after: &[(&str, u64)], revision: u64) -> Vec<(String, u64, bool)> {
        let found = differences(&list(before), &list(after), revision);
        let words = |(object, state): (Value, State)| {
            let (uid, revision) = entry::identity(&object).unwrap();
            (uid, revision, state == State::There)
        };
        found.into_iter().map(words).collect()
    }

    #[test]
    fn what_was_written_at_a_revision_is_seen_and_nothing_else() {
        assert_eq!(seen(&[("a", 3), ("b", 4)], &[("a", 7), ("b", 4)], 7), [("a".to_owned(), 7, true)]);
        assert_eq!(seen(&[("a", 3)], &[("a", 3), ("b", 8)], 8), [("b".to_owned(), 8, true)]);
        assert_eq!(seen(&[("a", 3)], &[("a", 3)], 9), []);
    }

    #[test]
    fn what_is_no_longer_there_went_at_this_revision() {
        assert_eq!(seen(&[("a", 3), ("b", 4)], &[("b", 4)], 7), [("a".to_owned(), 7, false)]);
    }
}
