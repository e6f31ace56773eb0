//! Kubernetes Events: best effort, in the low flow of the rate limiter, never in the way of work.
//!
//! As in `client-go`'s event recorder, an object gets 25 events at once and one more every five minutes; what a controller calls
//! exempt is not counted. A note that is repeated word for word becomes a series of one event instead of several events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::client::{Api, CallError, PatchKind};
use crate::limiter::{Flow, Limiter};
use crate::metrics::Metrics;

/// Events that may wait; more are dropped.
const WAITING_AT_MOST: usize = 4096;
/// Attempts for one event.
const ATTEMPTS: u32 = 4;
/// How long an answer may put an event off; after that it is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// Events of one object at once.
const BURST: f64 = 25.0;
/// Time after which an object may have one more.
const ONE_MORE_AFTER: Duration = Duration::from_secs(300);
/// Objects and notes that are remembered.
const REMEMBERED_AT_MOST: usize = 4096;
/// The longest note that the API takes, in bytes.
const NOTE_BYTES: usize = 1024;

/// What an event is about: the field `regarding` of `events.k8s.io/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regarding {
    /// Group and version, for example `apps/v1`.
    pub api_version: &'static str,
    /// The kind, in the singular and with a capital letter.
    pub kind: &'static str,
    /// `metadata.namespace`; the event goes there, too.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`; allowances and series are by it.
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub revision: u64,
}

/// The field `type` of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// It tells what happens.
    Normal,
    /// It tells that something is wrong.
    Warning,
}

/// Whether an event counts against the allowance of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allotment {
    /// It does, and is dropped when nothing is left.
    Counted,
    /// It does not: for what must be told whatever was told before, such as how an object ended.
    Exempt,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The field `type`.
    pub event_type: EventType,
    /// The fields `reason` and `action`: one word in camel case.
    pub reason: String,
    /// The field `note`. What is beyond 1024 bytes is cut off.
    pub note: String,
    /// Whether it counts against the allowance of its object.
    pub allotment: Allotment,
}

/// Who tells it: the fields `reportingController` and `reportingInstance`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporter {
    /// The controller.
    pub controller: &'static str,
    /// The process, see [`identity`](crate::identity::identity).
    pub instance: String,
}

/// Where workers leave their events. It never waits and never fails.
#[derive(Clone, Debug)]
pub struct EventRecorder {
    sender: mpsc::Sender<Entry>,
    filter: Arc<Mutex<BTreeMap<String, Allowance>>>,
    metrics: Arc<Metrics>,
}

#[derive(Debug)]
struct Entry {
    regarding: Regarding,
    event: Event,
    at: Timestamp,
}

#[derive(Debug)]
struct Allowance {
    left: f64,
    counted_at: Instant,
}

/// Sends what [`EventRecorder`]s take in.
#[derive(Debug)]
pub struct EventSender {
    api: Api,
    limiter: Arc<Limiter>,
    receiver: mpsc::Receiver<Entry>,
    reporter: Reporter,
    said: BTreeMap<(String, String, String), Said>,
}

#[derive(Debug)]
struct Said {
    name: String,
    times: u32,
}

/// The two ends: one for workers, one to be run.
#[must_use]
pub fn channel(
    api: Api,
    limiter: Arc<Limiter>,
    reporter: Reporter,
    metrics: Arc<Metrics>,
) -> (EventRecorder, EventSender) {
    let (sender, receiver) = mpsc::channel(WAITING_AT_MOST);
    let recorder = EventRecorder { sender, filter: Arc::default(), metrics };
    (recorder, EventSender { api, limiter, receiver, reporter, said: BTreeMap::new() })
}

impl EventRecorder {
    /// Leaves an event; drops it when 4096 wait already or the object had too many.
    pub fn record(&self, regarding: Regarding, event: Event) {
        if event.allotment == Allotment::Counted && !self.allows(&regarding.uid) {
            return;
        }
        // The clock of events, as of everything that leaves the process.
        if self.sender.try_send(Entry { regarding, event, at: Timestamp::now() }).is_err() {
            self.metrics.events_dropped.inc();
        }
    }

    fn allows(&self, uid: &str) -> bool {
        let now = Instant::now();
        let mut all = self.filter.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED_AT_MOST && !all.contains_key(uid) {
            all.retain(|_, allowance| now.duration_since(allowance.counted_at) < ONE_MORE_AFTER);
        }
        let allowance = all.entry(uid.to_owned()).or_insert(Allowance { left: BURST, counted_at: now });
        let passed = now.duration_since(allowance.counted_at);
        allowance.left = (allowance.left + passed.as_secs_f64() / ONE_MORE_AFTER.as_secs_f64()).min(BURST);
        allowance.counted_at = now;
        if allowance.left < 1.0 {
            return false;
        }
        allowance.left -= 1.0;
        true
    }
}

impl EventSender {
    /// Sends until no recorder is left: it ends when the last one is dropped and nothing waits.
    pub async fn run(mut self) {
        while let Some(entry) = self.receiver.recv().await {
            let said = self.remember(&entry);
            for attempt in 1..=ATTEMPTS {
                self.limiter.acquire(Flow::Event).await;
                match self.send(&entry, &said).await {
                    Ok(()) => break,
                    Err(error) if attempt < ATTEMPTS && is_worth_another(&error) => {
                        // Overload pauses the bucket. Anything else is about this event, and those of others wait behind it.
                        let wait = self.limiter.again_after(&error).filter(|_| !error.is_overload());
                        match wait {
                            None => {}
                            Some(wait) if wait <= PATIENCE => sleep(wait).await,
                            Some(_) => break,
                        }
                    }
                    Err(error) => {
                        tracing::debug!(%error, object = entry.regarding.name, reason = entry.event.reason, "an event was not sent");
                        break;
                    }
                }
            }
        }
    }

    fn remember(&mut self, entry: &Entry) -> (String, u32) {
        if self.said.len() >= REMEMBERED_AT_MOST {
            self.said.clear();
        }
        let key = (entry.regarding.uid.clone(), entry.event.reason.clone(), entry.event.note.clone());
        let fresh = || Said { name: event_name(&entry.regarding.name, entry.at), times: 0 };
        let said = self.said.entry(key).or_insert_with(fresh);
        said.times = said.times.saturating_add(1);
        (said.name.clone(), said.times)
    }

    async fn send(&self, entry: &Entry, (name, times): &(String, u32)) -> Result<(), CallError> {
        let collection = format!("/apis/events.k8s.io/v1/namespaces/{}/events", entry.regarding.namespace);
        if *times > 1 {
            let series = json!({"series": {"count": times, "lastObservedTime": micros(entry.at)}});
            let sent = self.api.patch(&format!("{collection}/{name}"), PatchKind::Merge, &series).await;
            // Events live for an hour; a series may outlive its first one.
            if !sent.as_ref().is_err_and(CallError::is_not_found) {
                return sent.map(|_| ());
            }
        }
        match self.api.create::<Value>(&collection, &self.body(entry, name)).await {
            // The attempt before was applied after all.
            Err(error) if error.is_conflict() => Ok(()),
            sent => sent.map(|_| ()),
        }
    }

    fn body(&self, entry: &Entry, name: &str) -> Value {
        let Entry { regarding, event, at } = entry;
        let event_type = match event.event_type {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
        json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": regarding.namespace},
            "eventTime": micros(*at),
            "reportingController": self.reporter.controller,
            "reportingInstance": self.reporter.instance,
            "action": event.reason,
            "reason": event.reason,
            "note": cut(&event.note, NOTE_BYTES),
            "type": event_type,
            "regarding": {
                "apiVersion": regarding.api_version,
                "kind": regarding.kind,
                "namespace": regarding.namespace,
                "name": regarding.name,
                "uid": regarding.uid,
                "resourceVersion": regarding.revision.to_string(),
            },
        })
    }
}

fn is_worth_another(error: &CallError) -> bool {
    match error {
        CallError::Refused { code, .. } => *code == 429,
        CallError::Unknown { .. } => true,
        CallError::NotSent(_) | CallError::Unreadable(_) | CallError::Later(_) => false,
    }
}

fn micros(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

/// Unique for one writer: a counter goes with the time.
fn event_name(object: &str, at: Timestamp) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{:x}{:04x}", cut(object, 220), at.as_microsecond(), count & 0xffff)
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_cut_between_characters() {
        assert_eq!(cut("aüb", 2), "a");
        assert_eq!(cut("aüb", 3), "aü");
        assert_eq!(cut("short", 1024), "short");
    }

    #[test]
    fn two_events_of_one_moment_have_two_names() {
        let at = Timestamp::UNIX_EPOCH;
        assert_ne!(event_name("a", at), event_name("a", at));
    }
}
