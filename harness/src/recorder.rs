//! Follows the watches of one namespace and writes down every object version, as it arrives.
//!
//! # Guarantees
//! A recorder lists before it watches, so nothing that happens after [`Recorder::start`] returned is
//! missed. A watch that ends is taken up where it ended; what a restarted server no longer sends is read back from its
//! store, revision by revision. History that cannot be had any more becomes a gap in the timeline, never silence. Every entry is on disk before anybody acts on it.

mod asked;
mod entry;
mod feed;
mod file;
mod history;
mod listing;
mod resource;
#[cfg(test)]
mod tests;

use crate::cluster::UnexpectedExit;
use futures::future::try_join_all;
use jobsworth_api::Resource;
use jobsworth_oracle::{Answer, Ending, Entry, Fact, Predicate, Setting, World};
use k8s_openapi::api::core::v1::Pod;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{broadcast, watch},
    task::{JoinHandle, JoinSet},
    time::Instant,
};

use file::TimelineFile;
pub use listing::FeedError;
use resource::{Kept, Watched};

/// How often the end of a recording is looked for.
const ROUNDS: usize = 5;

/// How many pod versions a slow pod driver may lag behind.
const PODS_BUFFERED: usize = 16_384;

/// Records one namespace.
pub struct Recorder {
    book: Arc<Book>,
    client: kube::Client,
    namespace: String,
    watched: Vec<Watched>,
    watches: JoinSet<()>,
    /// By the clock of this machine.
    began: jiff::Timestamp,
    /// Writes down the subject's requests; ends when nobody tells of any more.
    asked: Option<JoinHandle<()>>,
}

/// What was recorded so far, shared between the watches and whoever waits.
pub(crate) struct Book {
    started: Instant,
    pages: Mutex<Pages>,
    length: watch::Sender<usize>,
    pods: broadcast::Sender<jobsworth_oracle::Seen<Pod>>,
}

struct Pages {
    file: TimelineFile,
    world: World,
    seen: entry::Progress,
    /// How often each Event, by UID, had happened when it was last seen.
    counted: BTreeMap<String, u32>,
    entries: usize,
    /// When something was last written, or happened to who writes.
    stirred: Duration,
    broken: Option<String>,
    /// What is kept in another store than Jobs, whose revisions say nothing of when it was.
    apart: BTreeSet<Resource>,
    /// Where the recording ends, once that is known.
    cut: Option<Cut>,
    /// When which revision was the last that had been heard of.
    heard: Vec<(Duration, u64)>,
}

/// The moment up to which everything has been recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    revision: u64,
    at: Instant,
}

/// Why a wait ended without its predicate.
#[derive(Debug)]
pub enum WaitEnd {
    /// The time is over.
    Late,
    /// The timeline can no longer be written.
    Broken(String),
    /// A component of the cluster ended.
    Lost(Box<UnexpectedExit>),
}

impl Recorder {
    /// Lists the namespace's Jobs, pods and Events, Workloads and `PodGroup`s where the gate `GenericWorkload` is on, and
    /// Volcano's objects where its Jobs are judged, and follows them from there; entries go to `path`.
    ///
    /// # Errors
    /// When the file cannot be made or the API server does not answer.
    pub async fn start(client: kube::Client, setting: &Setting, path: &Path) -> Result<Self, FeedError> {
        // Times of objects are compared with those of entries: both must count from the same moment.
        let (started, clock) = (jiff::Timestamp::now(), Instant::now());
        let file = TimelineFile::create(path, &Setting { started, ..setting.clone() }).map_err(FeedError::File)?;
        let pages = Pages {
            file,
            world: World::default(),
            seen: entry::Progress::default(),
            counted: BTreeMap::new(),
            entries: 0,
            stirred: Duration::ZERO,
            broken: None,
            apart: BTreeSet::new(),
            cut: None,
            heard: Vec::new(),
        };
        let book = Arc::new(Book {
            started: clock,
            pages: Mutex::new(pages),
            length: watch::Sender::new(0),
            pods: broadcast::Sender::new(PODS_BUFFERED),
        });
        let namespace = setting.namespace.clone();
        let watched = Watched::of(setting);
        for (apart, revision) in listing::apart(&client, &namespace, &watched).await? {
            if !matches!(apart.kept, Kept::Notice) {
                return Err(FeedError::Apart(apart.name()));
            }
            book.enter(revision, Fact::Apart(apart.name()));
            book.pages().apart.insert(apart.resource.clone());
        }
        let mut watches = JoinSet::new();
        for one in &watched {
            let from = feed::list(&client, &namespace, one, &book).await?;
            watches.spawn(feed::follow(client.clone(), namespace.clone(), one.clone(), book.clone(), from));
        }
        Ok(Self { book, client, namespace, watched, watches, began: started, asked: None })
    }

    /// Where facts go and waits look.
    pub(crate) fn book(&self) -> Arc<Book> {
        self.book.clone()
    }

    /// Waits until everything that the API server has now has been recorded, and ends the recording there: at one revision for all
    /// watches, since a Job's status that is newer than the pods it counts says nothing about the controller.
    /// Where there is always something newer, in one watch or another, it goes on as before.
    ///
    /// # Errors
    /// When the API server does not answer, or the watches do not catch up within `limit`, all rounds together.
    pub async fn catch_up(&self, limit: Duration) -> Result<(), FeedError> {
        let until = Instant::now() + limit;
        for _ in 0..ROUNDS {
            // Side by side: the less time there is between the lists, the less is newer than the oldest of them.
            let lists = self.watched.iter().map(|one| entry::target(&self.client, &self.namespace, one));
            let targets = try_join_all(lists).await?;
            for (one, target) in self.watched.iter().zip(&targets) {
                self.reached(one, target, until).await?;
            }
            if self.book.cut(self.common(&targets)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The revision up to which every list has what is kept in the store of Jobs.
    fn common(&self, targets: &[entry::Target]) -> u64 {
        let pages = self.book.pages();
        let together = self.watched.iter().zip(targets).filter(|(one, _)| !pages.apart.contains(&one.resource));
        together.map(|(_, target)| target.revision()).min().unwrap_or(u64::MAX)
    }

    async fn reached(&self, watched: &Watched, target: &entry::Target, until: Instant) -> Result<(), FeedError> {
        let mut length = self.book.length.subscribe();
        let reached = async {
            loop {
                let reached = self.book.pages().seen.has_reached(&watched.resource, target);
                if reached || length.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout_at(until, reached).await.map_err(|_| FeedError::Behind(watched.name()))
    }

    /// Ends the recording and writes the last line.
    ///
    /// # Errors
    /// When the file cannot be written; it is then not whole, and reads as such.
    pub async fn finish(mut self, ending: &Ending) -> Result<(), FeedError> {
        if let Some(asked) = self.asked.take() {
            // What was told so far is written; whoever tells has stopped before.
            let _ = asked.await;
        }
        self.watches.shutdown().await;
        let mut pages = self.book.pages();
        if let Some(broken) = &pages.broken {
            return Err(FeedError::Broken(broken.clone()));
        }
        let entries = pages.entries;
        pages.file.end(ending, entries).map_err(FeedError::File)
    }
}

impl Pages {
    /// The revision that was the last one heard of at that time.
    fn known_at(&self, at: Duration) -> u64 {
        let later = self.heard.partition_point(|(heard, _)| *heard <= at);
        later.checked_sub(1).map_or(0, |last| self.heard[last].1)
    }
}

impl Book {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time since the recording began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// When something was last written, or happened to who writes, since the recording began.
    pub(crate) fn stirred(&self) -> Duration {
        self.pages().stirred
    }

    /// Writes down one fact.
    pub(crate) fn enter(&self, revision: u64, fact: Fact) {
        let at = self.elapsed();
        self.pages().heard.push((at, revision));
        self.enter_at(revision, at, fact);
    }

    fn enter_at(&self, revision: u64, at: Duration, fact: Fact) {
        let entry = Entry { revision, at, fact };
        {
            let mut pages = self.pages();
            if pages.broken.is_none()
                && let Err(error) = pages.file.append(&entry)
            {
                pages.broken = Some(format!("failed to write the timeline: {error}"));
            }
            pages.entries += 1;
            if stirs(&entry.fact) {
                pages.stirred = entry.at;
            }
            pages.world.apply(entry.revision, entry.at, &entry.fact);
        }
        if let Some(pod) = entry.fact.there_is::<Pod>() {
            // Nobody listens when no pod driver runs; that is fine.
            let _ = self.pods.send(pod.clone());
        }
        self.length.send_modify(|length| *length += 1);
    }

    /// Writes down what the API server said to a write of the script.
    pub(crate) fn answered(&self, answer: Answer) {
        let revision = answer.body.pointer("/metadata/resourceVersion").and_then(|text| text.as_str()?.parse().ok());
        let revision = revision.unwrap_or_else(|| self.pages().world.revision);
        self.enter(revision, Fact::Answer(answer));
    }

    /// Names this point of the recording, after what has arrived so far.
    pub(crate) fn mark(&self, name: &str) {
        let known = self.pages().world.revision;
        self.enter(known, Fact::Mark(name.to_owned()));
    }

    /// Ends the recording at this revision, unless something newer has been recorded already; whether it did.
    fn cut(&self, revision: u64) -> bool {
        let mut pages = self.pages();
        let ends_here = pages.seen.newest() <= revision;
        if ends_here {
            pages.cut = Some(Cut { revision, at: Instant::now() });
        }
        ends_here
    }

    /// The pod versions from now on.
    pub(crate) fn pods(&self) -> broadcast::Receiver<jobsworth_oracle::Seen<Pod>> {
        self.pods.subscribe()
    }

    /// Changes with every entry.
    pub(crate) fn length(&self) -> watch::Receiver<usize> {
        self.length.subscribe()
    }

    /// The world as it is known now.
    pub(crate) fn world(&self) -> World {
        self.pages().world.clone()
    }

    /// Waits until `wanted` is true of the world as it arrives.
    ///
    /// # Errors
    /// When the limit is over first, the recording breaks, or a component of the cluster ends.
    pub(crate) async fn wait(
        &self,
        wanted: &Predicate,
        limit: Duration,
        unexpected_exit: &mut watch::Receiver<Option<UnexpectedExit>>,
    ) -> Result<(), WaitEnd> {
        let mut length = self.length.subscribe();
        let came = async {
            loop {
                {
                    let pages = self.pages();
                    if let Some(broken) = &pages.broken {
                        return Err(WaitEnd::Broken(broken.clone()));
                    }
                    if wanted.holds(&pages.world) {
                        return Ok(());
                    }
                }
                if length.changed().await.is_err() {
                    return Err(WaitEnd::Broken("the recording ended".to_owned()));
                }
            }
        };
        tokio::select! {
            came = came => came,
            lost = crate::cluster::unexpected(unexpected_exit) => Err(WaitEnd::Lost(Box::new(lost))),
            () = tokio::time::sleep(limit) => Err(WaitEnd::Late),
        }
    }
}

/// Whether something may come of it. Reads change nothing, and who leads is settled all the time.
fn stirs(fact: &Fact) -> bool {
    !matches!(fact, Fact::Request(request) if !request.writes() || request.is_of_an_election())
}
