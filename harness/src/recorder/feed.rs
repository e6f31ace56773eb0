//! One watched resource: list, follow, take up again, and admit a gap.

use super::{
    Book,
    entry::{State, enter},
    history,
    listing::{FeedError, listed},
    resource::Watched,
};
use futures::StreamExt as _;
use jobsworth_oracle::Fact;
use kube::api::{WatchEvent, WatchParams};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// Pause before a watch that could not be opened is tried again.
const RETRY: Duration = Duration::from_millis(100);

/// Lists a resource into the book; the revision from which to watch.
pub(super) async fn list(
    client: &kube::Client,
    namespace: &str,
    watched: &Watched,
    book: &Book,
) -> Result<String, FeedError> {
    let list = listed(client, namespace, watched).await?;
    for item in list.items {
        enter(book, watched, item, State::There).map_err(|why| FeedError::Shape(watched.name(), why))?;
    }
    Ok(list.metadata.resource_version)
}

/// Follows a resource until the task is dropped.
pub(super) async fn follow(
    client: kube::Client,
    namespace: String,
    watched: Watched,
    book: Arc<Book>,
    mut from: String,
) {
    loop {
        let lost = match watch(&client, &namespace, &watched, &book, &mut from).await {
            Ended::InOrder => false,
            Ended::Broken => {
                tokio::time::sleep(RETRY).await;
                false
            }
            Ended::Expired => true,
        };
        if !lost {
            continue;
        }
        if let Some(revision) = history::read_back(&client, &namespace, &watched, &book, &from).await {
            from = revision;
        } else {
            book.enter(from.parse().unwrap_or_default(), Fact::Gap(watched.name()));
            match list(&client, &namespace, &watched, &book).await {
                Ok(revision) => from = revision,
                Err(_) => tokio::time::sleep(RETRY).await,
            }
        }
    }
}

/// How one watch ended.
enum Ended {
    InOrder,
    Broken,
    Expired,
}

async fn watch(client: &kube::Client, namespace: &str, watched: &Watched, book: &Book, from: &mut String) -> Ended {
    let parameters = WatchParams::default().timeout(240);
    let Ok(request) = watched.request(namespace).watch(&parameters, from) else { return Ended::Broken };
    let mut stream = match client.request_events::<Value>(request).await {
        Ok(stream) => Box::pin(stream),
        Err(kube::Error::Api(status)) if status.code == 410 => return Ended::Expired,
        Err(_) => return Ended::Broken,
    };
    while let Some(frame) = stream.next().await {
        let (object, state) = match frame {
            Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => (object, State::There),
            Ok(WatchEvent::Deleted(object)) => (object, State::Gone),
            Ok(WatchEvent::Bookmark(bookmark)) => {
                *from = bookmark.metadata.resource_version;
                continue;
            }
            Ok(WatchEvent::Error(status)) if status.code == 410 => return Ended::Expired,
            Ok(WatchEvent::Error(_)) | Err(_) => return Ended::Broken,
        };
        let revision = object.pointer("/metadata/resourceVersion").and_then(Value::as_str).map(str::to_owned);
        match (revision, enter(book, watched, object, state)) {
            (Some(revision), Ok(())) => *from = revision,
            _ => return Ended::Expired,
        }
    }
    Ended::InOrder
}
