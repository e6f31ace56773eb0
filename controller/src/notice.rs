//! Kubernetes Events about Jobs: best effort, in the low lane of the bucket, never in the way of work.
//!
//! As in the built-in controller, an object gets 25 events at once and one more every five minutes; what says how a Job ended
//! is not counted. A note that is repeated word for word becomes a series of one event instead of several events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_controller_runtime::client::{Api, CallError, PatchKind};
use jobsworth_controller_runtime::limiter::{Lane, Limiter};
use jobsworth_controller_runtime::metrics::Metrics;
use jobsworth_core::{JobView, Notice};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

/// Events that may wait; more are dropped.
const WAITING_AT_MOST: usize = 4096;
/// Attempts for one event.
const ATTEMPTS: u32 = 4;
/// How long an answer may put an event off; after that it is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// Events of one Job at once.
const BURST: f64 = 25.0;
/// Time after which a Job may have one more.
const ONE_MORE_AFTER: Duration = Duration::from_secs(300);
/// Jobs and notes that are remembered.
const REMEMBERED_AT_MOST: usize = 4096;
/// The longest note that the API takes.
const NOTE_BYTES: usize = 1024;
/// Who says so.
const REPORTING_CONTROLLER: &str = "job-controller";

/// Where syncs leave their notices.
#[derive(Clone, Debug)]
pub struct Notices {
    sender: mpsc::Sender<Entry>,
    filter: Arc<Mutex<BTreeMap<String, Allowance>>>,
    metrics: Arc<Metrics>,
}

#[derive(Debug)]
struct Entry {
    job: Regarding,
    notice: Notice,
    at: Timestamp,
}

#[derive(Debug)]
struct Regarding {
    namespace: String,
    name: String,
    uid: String,
    revision: u64,
}

#[derive(Debug)]
struct Allowance {
    left: f64,
    counted_at: Instant,
}

/// Sends what [`Notices`] takes in.
#[derive(Debug)]
pub struct Herald {
    api: Api,
    limiter: Arc<Limiter>,
    receiver: mpsc::Receiver<Entry>,
    instance: String,
    said: BTreeMap<(String, String, String), Said>,
}

#[derive(Debug)]
struct Said {
    name: String,
    times: u32,
}

/// The two ends: one for syncs, one to be run.
#[must_use]
pub fn channel(api: Api, limiter: Arc<Limiter>, instance: String, metrics: Arc<Metrics>) -> (Notices, Herald) {
    let (sender, receiver) = mpsc::channel(WAITING_AT_MOST);
    let notices = Notices { sender, filter: Arc::default(), metrics };
    (notices, Herald { api, limiter, receiver, instance, said: BTreeMap::new() })
}

impl Notices {
    /// Leaves a notice about a Job; drops it when too many wait or the Job had too many.
    /// (EVT-001 to EVT-008)
    pub fn leave(&self, job: &JobView, notice: Notice) {
        let ends = matches!(notice.reason.as_str(), "Completed") || (notice.warning && !is_about_a_pod(&notice.reason));
        let uid = job.uid.to_string();
        if !ends && !self.allows(&uid) {
            return;
        }
        let (namespace, name) = (job.namespace.to_string(), job.name.to_string());
        let job = Regarding { namespace, name, uid, revision: job.revision };
        // The clock of events, as of everything that leaves the process.
        if self.sender.try_send(Entry { job, notice, at: Timestamp::now() }).is_err() {
            self.metrics.count("jobsworth_events_dropped_total", &[], 1);
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

fn is_about_a_pod(reason: &str) -> bool {
    matches!(reason, "FailedCreate" | "FailedDelete" | "SuccessfulCreate" | "SuccessfulDelete")
}

impl Herald {
    /// Sends until nobody can leave notices any more.
    pub async fn run(mut self) {
        while let Some(entry) = self.receiver.recv().await {
            let said = self.remember(&entry);
            for attempt in 1..=ATTEMPTS {
                self.limiter.acquire(Lane::Event).await;
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
                        tracing::debug!(%error, job = entry.job.name, reason = entry.notice.reason, "an event was not sent");
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
        let key = (entry.job.uid.clone(), entry.notice.reason.clone(), entry.notice.message.clone());
        let fresh = || Said { name: event_name(&entry.job.name, entry.at), times: 0 };
        let said = self.said.entry(key).or_insert_with(fresh);
        said.times = said.times.saturating_add(1);
        (said.name.clone(), said.times)
    }

    async fn send(&self, entry: &Entry, (name, times): &(String, u32)) -> Result<(), CallError> {
        let collection = format!("/apis/events.k8s.io/v1/namespaces/{}/events", entry.job.namespace);
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
        let Entry { job, notice, at } = entry;
        json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": job.namespace},
            "eventTime": micros(*at),
            "reportingController": REPORTING_CONTROLLER,
            "reportingInstance": self.instance,
            "action": notice.reason,
            "reason": notice.reason,
            "note": cut(&notice.message, NOTE_BYTES),
            "type": if notice.warning { "Warning" } else { "Normal" },
            "regarding": {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "namespace": job.namespace,
                "name": job.name,
                "uid": job.uid,
                "resourceVersion": job.revision.to_string(),
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
fn event_name(job: &str, at: Timestamp) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{:x}{:04x}", cut(job, 220), at.as_microsecond(), count & 0xffff)
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
