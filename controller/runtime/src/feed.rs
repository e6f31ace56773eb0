//! List and watch of one resource, for ever: what comes out is a list, then one change after the other.
//!
//! An answer 410 leads to a new list, whether it comes as the status of the watch request or inside the stream. A watch ends
//! after a minute at the latest, so a connection that swallows everything is noticed. After a cut the watch goes on where it
//! was; only the first attempt after it is free, the following ones wait longer and longer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures::{AsyncBufReadExt, TryStreamExt};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout_at};

use crate::client::{Api, CallError};
use crate::horizon::later;
use crate::key::Key;
use crate::liveness::Heartbeat;
use crate::panics;

/// After this long the API server ends a watch.
const WATCH_SECONDS: u64 = 60;
/// And this much later we do.
const WATCH_GRACE: Duration = Duration::from_secs(5);
/// Objects per page of a list.
const PAGE: usize = 2000;
/// The first pause after a failure that follows a failure.
const PAUSE_FIRST: Duration = Duration::from_millis(200);
/// The longest pause.
const PAUSE_LAST: Duration = Duration::from_secs(5);
/// The longest pause that an answer can ask for.
const PAUSE_ASKED_AT_MOST: Duration = Duration::from_secs(60);

/// An object that can be listed and watched.
pub trait Resource: Sized + Send {
    /// The absolute path of its collection over all namespaces, without a query: `/apis/GROUP/VERSION/PLURAL`, or
    /// `/api/v1/PLURAL` for the core group.
    const COLLECTION: &'static str;
    /// Its plural name, in logs and as the label `resource` of metrics.
    const NAME: &'static str;

    /// Reads the JSON of an object, as far as it can be read.
    ///
    /// # Errors
    /// A sentence about what is wrong with an object that does not say who it is.
    fn decode(json: &RawValue) -> Result<Self, String>;
}

/// What happened.
#[derive(Debug)]
pub enum Change<T> {
    /// This is all there is, as of this version. Objects that do not say who they are are left out.
    Listed {
        /// All objects, in the order of the list.
        objects: Vec<T>,
        /// `metadata.resourceVersion` of the list, see [`revision`].
        revision: u64,
    },
    /// It is there, new or changed.
    Applied(T),
    /// It is gone; this is how it was.
    Deleted(T),
    /// It changed into something that cannot be read at all: what was known of it is no longer true.
    Unreadable(Key),
    /// Nothing of interest happened up to this version: a bookmark, or the end of a watch.
    Progress(u64),
}

/// Whether a change was taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Yes.
    Yes,
    /// No: it is older than what is known already.
    Older,
}

/// How a watch ended.
enum End {
    /// In order, or cut: go on from this version.
    At(String),
    /// What was to come next is no longer kept: list again.
    Gone,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    metadata: PageMeta,
    #[serde(borrow, default)]
    items: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct PageMeta {
    resource_version: String,
    #[serde(rename = "continue")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(rename = "type")]
    what: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
struct Versioned {
    metadata: PageMeta,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    code: u16,
    message: String,
}

/// Feeds `sink` for as long as it is polled, in pages of 2,000 objects and watches of 60 s. It never ends by itself: every
/// failure is logged and tried again, after 5 s at most or after what an answer asks for, a minute at most. A `sink` that
/// answers [`Taken::Older`] gets a new list. `heartbeat` beats whenever the API server said something.
pub async fn run<T: Resource>(api: &Api, heartbeat: &Heartbeat, mut sink: impl FnMut(Change<T>) -> Taken) {
    let mut pause = Pause::default();
    loop {
        let mut version = match list(api, heartbeat, &mut sink).await {
            Ok(Some(version)) => version,
            Ok(None) => {
                tracing::warn!(resource = T::NAME, "the API server listed an older state than it showed before");
                pause.wait(None).await;
                continue;
            }
            Err(error) => {
                tracing::warn!(resource = T::NAME, %error, "cannot list");
                heard(heartbeat, &error);
                pause.wait(error.retry_after()).await;
                continue;
            }
        };
        // Whether the version to go on from may be one that is yet to come.
        let mut doubtful = false;
        loop {
            let started = Instant::now();
            if doubtful {
                match is_yet_to_come::<T>(api, &version).await {
                    Ok(true) => {
                        tracing::warn!(resource = T::NAME, "the API server is behind what it showed; listing again");
                        break;
                    }
                    Ok(false) => {}
                    Err(error) => {
                        tracing::warn!(resource = T::NAME, %error, "cannot find out how far the API server is");
                        heard(heartbeat, &error);
                        pause.wait(error.retry_after()).await;
                        continue;
                    }
                }
            }
            match watch(api, &version, heartbeat, &mut sink).await {
                Ok(End::Gone) => {
                    tracing::info!(resource = T::NAME, "the watch lost its place; listing again");
                    break;
                }
                Ok(End::At(next)) => {
                    doubtful = next == version;
                    // A watch that ends at once and without news is no better than an error.
                    if !doubtful || started.elapsed() > Duration::from_secs(1) {
                        pause = Pause::default();
                    }
                    version = next;
                    // A list may be wanted although nothing came that could have said so.
                    if sink(Change::Progress(revision(&version))) == Taken::Older {
                        break;
                    }
                    pause.wait(None).await;
                }
                Err(error) if error.is_gone() => {
                    tracing::info!(resource = T::NAME, "the watch was refused with 410; listing again");
                    break;
                }
                Err(error) => {
                    doubtful = true;
                    tracing::warn!(resource = T::NAME, %error, "cannot watch");
                    heard(heartbeat, &error);
                    pause.wait(error.retry_after()).await;
                }
            }
        }
        pause.wait(None).await;
    }
}

/// A refusal is an answer, too: who may not list is not stalled.
fn heard(heartbeat: &Heartbeat, error: &CallError) {
    if error.code().is_some() {
        heartbeat.beat();
    }
}

/// Lists page by page, at the newest version. `None` when the sink did not want it.
async fn list<T: Resource>(
    api: &Api,
    heartbeat: &Heartbeat,
    sink: &mut impl FnMut(Change<T>) -> Taken,
) -> Result<Option<String>, CallError> {
    let mut objects = Vec::new();
    let mut next: Option<String> = None;
    loop {
        let token = next.map(|token| format!("&continue={}", escape(&token))).unwrap_or_default();
        let body = api.list(&format!("{}?limit={PAGE}{token}", T::COLLECTION)).await?;
        heartbeat.beat();
        let page: Page<'_> = serde_json::from_slice(&body).map_err(|error| CallError::Unreadable(error.to_string()))?;
        objects.extend(page.items.iter().filter_map(|item| decode::<T>(item)));
        next = page.metadata.next.filter(|token| !token.is_empty());
        if next.is_none() {
            let revision = revision(&page.metadata.resource_version);
            let taken = sink(Change::Listed { objects, revision });
            return Ok((taken == Taken::Yes).then_some(page.metadata.resource_version));
        }
    }
}

/// Whether this version is yet to come, as after a restored backup. A watch from there is silent until it has come, and what
/// happened up to it is never seen.
async fn is_yet_to_come<T: Resource>(api: &Api, version: &str) -> Result<bool, CallError> {
    let newest: Versioned = api.get(&format!("{}?resourceVersion=&limit=1", T::COLLECTION)).await?;
    let newest = revision(&newest.metadata.resource_version);
    Ok(newest > 0 && newest < revision(version))
}

async fn watch<T: Resource>(
    api: &Api,
    version: &str,
    heartbeat: &Heartbeat,
    sink: &mut impl FnMut(Change<T>) -> Taken,
) -> Result<End, CallError> {
    let deadline = later(Instant::now(), Duration::from_secs(WATCH_SECONDS).saturating_add(WATCH_GRACE));
    let answer = api
        .watch(&format!(
            "{}?watch=true&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={WATCH_SECONDS}",
            T::COLLECTION
        ))
        .await?;
    let mut version = version.to_owned();
    let mut lines = answer.into_body().into_data_stream().map_err(std::io::Error::other).into_async_read().lines();
    loop {
        let line = match timeout_at(deadline, lines.try_next()).await {
            Ok(Ok(Some(line))) => line,
            Ok(Ok(None)) => {
                // In order, or with the connection: a server that is gone does not accept the next one.
                heartbeat.beat();
                return Ok(End::At(version));
            }
            Ok(Err(error)) => {
                tracing::debug!(resource = T::NAME, %error, "the watch was cut");
                return Ok(End::At(version));
            }
            Err(_) => {
                tracing::warn!(resource = T::NAME, "the watch should have ended by now; starting another");
                return Ok(End::At(version));
            }
        };
        // Half a line is what a cut leaves.
        let Ok(frame) = serde_json::from_str::<Frame<'_>>(&line) else { return Ok(End::At(version)) };
        heartbeat.beat();
        if frame.what == "ERROR" {
            let status: Status = serde_json::from_str(frame.object.get()).unwrap_or_default();
            if status.code == 410 {
                return Ok(End::Gone);
            }
            tracing::warn!(resource = T::NAME, code = status.code, message = status.message, "the watch failed");
            return Ok(End::At(version));
        }
        let Ok(Versioned { metadata }) = serde_json::from_str(frame.object.get()) else { continue };
        match frame.what.as_str() {
            "ADDED" | "MODIFIED" | "DELETED" => {
                let change = match decode::<T>(frame.object) {
                    Some(object) if frame.what == "DELETED" => Some(Change::Deleted(object)),
                    Some(object) => Some(Change::Applied(object)),
                    None => name_of(frame.object).map(Change::Unreadable),
                };
                change.map(&mut *sink);
            }
            _ => {}
        }
        if sink(Change::Progress(revision(&metadata.resource_version))) == Taken::Older {
            return Ok(End::Gone);
        }
        version = metadata.resource_version;
    }
}

/// Where an object is, if it says at least that.
fn name_of(json: &RawValue) -> Option<Key> {
    #[derive(Deserialize)]
    struct Named {
        metadata: Name,
    }
    #[derive(Deserialize)]
    struct Name {
        namespace: String,
        name: String,
    }
    let Named { metadata } = serde_json::from_str(json.get()).ok()?;
    Some(Key { namespace: metadata.namespace.into(), name: metadata.name.into() })
}

/// One object that cannot be read is named in the log and left out; the others are not affected.
fn decode<T: Resource>(json: &RawValue) -> Option<T> {
    // A bug that one object brings out must not end the watch of all.
    let decoded = catch_unwind(AssertUnwindSafe(|| T::decode(json)));
    match decoded.unwrap_or_else(|panic| Err(format!("panicked: {}", panics::words(&*panic)))) {
        Ok(object) => Some(object),
        Err(why) => {
            tracing::error!(resource = T::NAME, why, "an object cannot be read and is left alone");
            None
        }
    }
}

/// A resourceVersion as a number; of one resource they are ordered (KEP-5504). 0 when it is none.
#[must_use]
pub fn revision(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

fn escape(token: &str) -> String {
    use std::fmt::Write as _;
    token.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

/// Pauses that grow: none first, then twice as long each time.
#[derive(Debug, Default)]
struct Pause {
    next: Option<Duration>,
}

impl Pause {
    async fn wait(&mut self, asked: Option<Duration>) {
        let asked = asked.unwrap_or(Duration::ZERO).min(PAUSE_ASKED_AT_MOST);
        let pause = self.next.unwrap_or(Duration::ZERO).max(asked);
        self.next = Some(self.next.map_or(PAUSE_FIRST, |pause| pause.saturating_mul(2).min(PAUSE_LAST)));
        // Pacing, not waiting for something: the pause is the point.
        sleep(pause).await;
    }
}
