//! The only source of times: watches Jobs and pods as lean objects and stamps what arrives with a monotonic clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::Request;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::Trouble;
use super::sightings::{Job, Pod, Presence, Sightings};

/// Longer than any trial may take, and within what the API server allows.
const WATCH_S: u32 = 290;

/// A pod as it arrived.
#[derive(Clone, Debug)]
pub struct PodReport {
    /// When.
    pub at: Instant,
    /// What.
    pub pod: Pod,
    /// Whether it is still there.
    pub presence: Presence,
}

/// Watches one namespace from its beginning.
#[derive(Debug)]
pub struct Observer {
    book: Arc<Book>,
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Book {
    clock: Instant,
    seen: Mutex<Sightings>,
    news: watch::Sender<()>,
}

#[derive(Deserialize)]
struct List {
    metadata: ListMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
}

impl Observer {
    /// Opens both watches; from here on nothing in the namespace is missed. Pods go to `pods` too.
    ///
    /// # Errors
    /// When a watch cannot be opened.
    pub async fn start(
        client: &kube::Client,
        namespace: &str,
        pods: mpsc::UnboundedSender<PodReport>,
    ) -> Result<Self, Trouble> {
        let book = Arc::new(Book { clock: Instant::now(), seen: Mutex::default(), news: watch::Sender::new(()) });
        let mut tasks = JoinSet::new();
        let jobs = open::<Job>(client, &format!("/apis/batch/v1/namespaces/{namespace}/jobs")).await?;
        let of_jobs = Arc::clone(&book);
        tasks.spawn(async move {
            let why =
                follow(jobs, |at, job, presence| of_jobs.seen().job(of_jobs.since(at), &job, presence), &of_jobs).await;
            of_jobs.broke(&format!("the watch of Jobs {why}"));
        });
        let watch = open::<Pod>(client, &format!("/api/v1/namespaces/{namespace}/pods")).await?;
        let of_pods = Arc::clone(&book);
        tasks.spawn(async move {
            let take = |at, pod: Pod, presence| {
                of_pods.seen().pod(of_pods.since(at), &pod, presence);
                // The pod driver may have stopped already.
                let _ = pods.send(PodReport { at, pod, presence });
            };
            let why = follow(watch, take, &of_pods).await;
            of_pods.broke(&format!("the watch of pods {why}"));
        });
        Ok(Self { book, _tasks: tasks })
    }

    /// Time since the beginning of the trial.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.book.clock.elapsed()
    }

    /// What was seen so far.
    #[must_use]
    pub fn seen(&self) -> Sightings {
        self.book.seen().clone()
    }

    /// Waits until `holds`.
    ///
    /// # Errors
    /// When it does not hold within `limit`, or a watch broke.
    pub async fn until(
        &self,
        what: &str,
        limit: Duration,
        holds: impl Fn(&Sightings) -> bool + Send,
    ) -> Result<(), Trouble> {
        let mut news = self.book.news.subscribe();
        let waiting = async {
            loop {
                {
                    let seen = self.book.seen();
                    if let Some(broken) = &seen.broken {
                        return Err(Trouble::new(broken.clone()));
                    }
                    if holds(&seen) {
                        return Ok(());
                    }
                }
                // The sender lives in the book.
                let _ = news.changed().await;
            }
        };
        let late = |_| Trouble::new(format!("did not see {what} within {} s", limit.as_secs()));
        timeout(limit, waiting).await.map_err(late)?
    }
}

impl Book {
    fn seen(&self) -> MutexGuard<'_, Sightings> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn since(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.clock)
    }

    fn broke(&self, why: &str) {
        self.seen().broken.get_or_insert_with(|| why.to_owned());
        self.news.send_replace(());
    }
}

type Events<T> = std::pin::Pin<Box<dyn futures::Stream<Item = kube::Result<WatchEvent<T>>> + Send>>;

async fn open<T: Clone + DeserializeOwned + Send + 'static>(
    client: &kube::Client,
    path: &str,
) -> Result<Events<T>, Trouble> {
    let failed = |error: &dyn std::error::Error| Trouble::of("open a watch", error);
    let resource = Request::new(path);
    let list = resource.list(&ListParams::default().limit(1)).map_err(|error| failed(&error))?;
    let list: List = client.request(list).await.map_err(|error| failed(&error))?;
    let watch = WatchParams::default().timeout(WATCH_S);
    let watch = resource.watch(&watch, &list.metadata.resource_version).map_err(|error| failed(&error))?;
    Ok(Box::pin(client.request_events::<T>(watch).await.map_err(|error| failed(&error))?))
}

/// Passes on what arrives until the watch ends; how it ended.
async fn follow<T>(mut events: Events<T>, mut take: impl FnMut(Instant, T, Presence), book: &Book) -> String {
    loop {
        let event = events.next().await;
        let at = Instant::now();
        match event {
            Some(Ok(WatchEvent::Added(object) | WatchEvent::Modified(object))) => take(at, object, Presence::There),
            Some(Ok(WatchEvent::Deleted(object))) => take(at, object, Presence::Gone),
            Some(Ok(WatchEvent::Bookmark(_))) => {}
            Some(Ok(WatchEvent::Error(status))) => return format!("was ended: {}", status.message),
            Some(Err(error)) => return format!("broke: {}", crate::run::in_full(&error)),
            None => return "ended".to_owned(),
        }
        book.news.send_replace(());
    }
}
