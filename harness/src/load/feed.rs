//! A watch of one resource: lean objects, each with the moment in which it arrived, and nothing missed in between.

use std::marker::PhantomData;

use futures::StreamExt as _;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::Request;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::Trouble;
use super::sightings::Presence;

/// After so long a watch is opened anew, where it ended; the client library allows no more.
const WATCH_S: u32 = 290;

#[derive(Deserialize)]
struct List {
    metadata: ListMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
}

type Events = std::pin::Pin<Box<dyn futures::Stream<Item = kube::Result<WatchEvent<Box<RawValue>>>> + Send>>;

/// One watched resource, read as lean `T`.
pub struct Feed<T> {
    client: kube::Client,
    resource: Request,
    from: String,
    events: Events,
    read: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Feed<T> {
    /// Opens the watch; from here on nothing is missed.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn open(client: &kube::Client, path: &str) -> Result<Self, Trouble> {
        let failed = |error: &dyn std::error::Error| Trouble::of("list what is to be watched", error);
        let resource = Request::new(path);
        let list = resource.list(&ListParams::default().limit(1)).map_err(|error| failed(&error))?;
        let list: List = client.request(list).await.map_err(|error| failed(&error))?;
        let from = list.metadata.resource_version;
        let events = watched(client, &resource, &from).await?;
        Ok(Self { client: client.clone(), resource, from, events, read: PhantomData })
    }

    /// Passes on what arrives, stamped as it does, for as long as nothing is missed; why that ended.
    pub async fn follow(
        mut self,
        mut take: impl FnMut(Instant, T, Presence, Box<RawValue>),
        revision: impl Fn(&T) -> &String,
    ) -> String {
        loop {
            let event = self.events.next().await;
            let at = Instant::now();
            let (object, presence) = match event {
                Some(Ok(WatchEvent::Added(object) | WatchEvent::Modified(object))) => (object, Presence::There),
                Some(Ok(WatchEvent::Deleted(object))) => (object, Presence::Gone),
                // So far there is nothing else: where little changes, what the last event says may be forgotten by now.
                Some(Ok(WatchEvent::Bookmark(mark))) => {
                    self.from = mark.metadata.resource_version;
                    continue;
                }
                Some(Ok(WatchEvent::Error(status))) => return format!("was ended: {}", status.message),
                Some(Err(error)) => return format!("broke: {}", crate::error_text::in_full(&error)),
                // Its time is over; the next one goes on where it ended.
                None => match watched(&self.client, &self.resource, &self.from).await {
                    Ok(events) => {
                        self.events = events;
                        continue;
                    }
                    Err(trouble) => return trouble.to_string(),
                },
            };
            let lean: T = match serde_json::from_str(object.get()) {
                Ok(lean) => lean,
                Err(error) => return format!("brought something else: {error}"),
            };
            self.from.clone_from(revision(&lean));
            take(at, lean, presence, object);
        }
    }
}

async fn watched(client: &kube::Client, resource: &Request, from: &str) -> Result<Events, Trouble> {
    let failed = |error: &dyn std::error::Error| Trouble::of("open a watch", error);
    let request = resource.watch(&WatchParams::default().timeout(WATCH_S), from).map_err(|error| failed(&error))?;
    Ok(Box::pin(client.request_events::<Box<RawValue>>(request).await.map_err(|error| failed(&error))?))
}
