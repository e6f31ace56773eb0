//! The only source of times: watches Jobs and pods as lean objects and stamps what arrives with a monotonic clock.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::Trouble;
use super::feed::Feed;
use super::judge::{JudgeInput, Kind, SeenVersion};
use super::sightings::{Job, Meta, Pod, Presence, Sightings};

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

/// Watches the namespaces of a trial from their beginning.
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

impl Observer {
    /// Opens both watches; from here on nothing in the namespaces is missed. Pods go to `pods` too, and everything to `judge`, if
    /// somebody judges.
    ///
    /// # Errors
    /// When a watch cannot be opened.
    pub async fn start(
        client: &kube::Client,
        namespaces: &[String],
        pods: mpsc::UnboundedSender<PodReport>,
        judge: Option<JudgeInput>,
    ) -> Result<Self, Trouble> {
        let book = Arc::new(Book { clock: Instant::now(), seen: Mutex::default(), news: watch::Sender::new(()) });
        let mut tasks = JoinSet::new();
        // Several namespaces have one watch over all: what is not theirs is dropped as it comes.
        let (within, ours) = match namespaces {
            [only] => (format!("namespaces/{only}/"), HashSet::new()),
            several => (String::new(), several.iter().cloned().collect()),
        };
        let ours = Arc::new(ours);
        let is_ours = |ours: &HashSet<String>, meta: &Meta| ours.is_empty() || ours.contains(&meta.namespace);
        let jobs = Feed::<Job>::open(client, &format!("/apis/batch/v1/{within}jobs")).await?;
        let (of_jobs, theirs, hears) = (Arc::clone(&book), Arc::clone(&ours), judge.clone());
        tasks.spawn(async move {
            let take = |at, job: Job, presence, object| {
                if is_ours(&theirs, &job.metadata) {
                    of_jobs.seen().job(of_jobs.since(at), &job, presence);
                    if let Some(judge) = &hears {
                        judge.send(SeenVersion { at: of_jobs.since(at), kind: Kind::Job, presence, object });
                    }
                    of_jobs.news.send_replace(());
                }
            };
            let why = jobs.follow(take, |job| &job.metadata.resource_version).await;
            of_jobs.broke(&format!("the watch of Jobs {why}"));
        });
        let watch = Feed::<Pod>::open(client, &format!("/api/v1/{within}pods")).await?;
        let of_pods = Arc::clone(&book);
        tasks.spawn(async move {
            let take = |at, pod: Pod, presence, object| {
                if !is_ours(&ours, &pod.metadata) {
                    return;
                }
                of_pods.seen().pod(of_pods.since(at), &pod, presence);
                if let Some(judge) = &judge {
                    judge.send(SeenVersion { at: of_pods.since(at), kind: Kind::Pod, presence, object });
                }
                // The pod driver may have stopped already.
                let _ = pods.send(PodReport { at, pod, presence });
                of_pods.news.send_replace(());
            };
            let why = watch.follow(take, |pod| &pod.metadata.resource_version).await;
            of_pods.broke(&format!("the watch of pods {why}"));
        });
        Ok(Self { book, _tasks: tasks })
    }

    /// Time since the beginning of the trial.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.book.clock.elapsed()
    }

    /// The same of another moment.
    #[must_use]
    pub fn at(&self, moment: Instant) -> Duration {
        self.book.since(moment)
    }

    /// Has something whenever a Job or a pod has changed.
    #[must_use]
    pub fn news(&self) -> watch::Receiver<()> {
        self.book.news.subscribe()
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
        let late = |_| Trouble::Late { what: what.to_owned(), limit };
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
