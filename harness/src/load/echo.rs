//! The echo probe: how late the observer is, told by writes of our own.
//!
//! While the work is done, an object that nobody under test looks at is written some ten times a second. From the answer to a write
//! until its event is here, as late may be everything that the observer stamps meanwhile.
//!
//! It has a watch, and so a connection, of its own: it shares the server and the processors with the observer, but does not stand in the
//! queue of events of pods and Jobs.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::Trouble;
use super::feed::Feed;
use super::quantile::{quantile, sorted};
use super::record::Circumstances;
use super::sightings::Meta;

/// How far writes are apart, at least: each waits for the answer to the one before.
const EACH: Duration = Duration::from_millis(100);
/// The object that is written.
const NAME: &str = "echo";

/// Listens to the echo of one trial until it is dropped.
pub struct Echo {
    shared: Arc<Shared>,
    _listener: JoinSet<()>,
}

struct Shared {
    writer: kube::Client,
    namespace: String,
    trial: u32,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    /// When writes were answered whose event is not here yet, by their number.
    waiting: HashMap<u64, Instant>,
    /// Events that were here before the answer.
    early: HashSet<u64>,
    delays: Vec<f64>,
    trouble: Option<String>,
}

#[derive(Deserialize)]
struct Lease {
    metadata: Meta,
    #[serde(default)]
    spec: LeaseSpec,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeaseSpec {
    #[serde(default)]
    holder_identity: String,
}

impl Notes {
    fn answered(&mut self, number: u64, at: Instant) {
        if self.early.remove(&number) {
            self.delays.push(0.0);
        } else {
            self.waiting.insert(number, at);
        }
    }

    fn heard(&mut self, number: u64, at: Instant) {
        match self.waiting.remove(&number) {
            Some(answered) => self.delays.push(ms(answered, at)),
            None => {
                self.early.insert(number);
            }
        }
    }

    /// In milliseconds, sorted. What is not here yet is already as late as it is now.
    fn delays(&self, now: Instant) -> Vec<f64> {
        let missing = self.waiting.values().map(|&answered| ms(answered, now));
        sorted(&self.delays.iter().copied().chain(missing).collect::<Vec<f64>>())
    }
}

fn ms(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1000.0
}

/// What is written as number so much of a trial, told apart from what an earlier trial wrote.
fn written(trial: u32, number: u64) -> String {
    format!("{trial}/{number}")
}

/// Which number this is, if it is one of this trial.
fn number_in(trial: u32, text: &str) -> Option<u64> {
    let (of, number) = text.split_once('/')?;
    number.parse().ok().filter(|_| of.parse::<u32>() == Ok(trial))
}

impl Echo {
    /// Makes the object, if no earlier trial has, and opens the watch. `writer` makes no request twice; `observer` is the client
    /// of the observer.
    ///
    /// # Errors
    /// When the API server refuses one of them.
    pub async fn open(
        writer: kube::Client,
        observer: &kube::Client,
        namespace: &str,
        trial: u32,
    ) -> Result<Self, Trouble> {
        let shared = Shared { writer, namespace: namespace.to_owned(), trial, notes: Mutex::default() };
        let shared = Arc::new(shared);
        shared.make().await?;
        let feed = Feed::<Lease>::open(observer, &shared.leases()).await?;
        let hears = Arc::clone(&shared);
        let mut listener = JoinSet::new();
        listener.spawn(async move {
            let take = |at, lease: Lease, _, _| {
                if let Some(number) = number_in(hears.trial, &lease.spec.holder_identity) {
                    hears.notes().heard(number, at);
                }
            };
            let why = feed.follow(take, |lease| &lease.metadata.resource_version).await;
            hears.broke(format!("the watch of the echo {why}"));
        });
        Ok(Self { shared, _listener: listener })
    }

    /// Writes for as long as this work takes, where there is an echo; what came of the work.
    pub async fn around<T>(echo: Option<&Self>, work: impl Future<Output = T>) -> T {
        let Some(shared) = echo.map(|echo| Arc::clone(&echo.shared)) else { return work.await };
        let mut writer = JoinSet::new();
        writer.spawn(async move { shared.write().await });
        let done = work.await;
        writer.shutdown().await;
        done
    }

    /// How late it was, and how often it was asked.
    pub fn account(&self, into: &mut Circumstances) {
        let delays = self.shared.notes().delays(Instant::now());
        into.probe_p50_ms = quantile(&delays, 0.5);
        into.probe_p99_ms = quantile(&delays, 0.99);
        into.probe_max_ms = quantile(&delays, 1.0);
        into.probes = delays.len() as u64;
    }

    /// The first thing that went wrong.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.shared.notes().trouble.clone()
    }
}

impl Shared {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn broke(&self, why: String) {
        self.notes().trouble.get_or_insert(why);
    }

    fn leases(&self) -> String {
        format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace)
    }

    async fn make(&self) -> Result<(), Trouble> {
        let lease = json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": NAME},
            "spec": {"holderIdentity": "nobody"},
        });
        match self.call(http::Request::post(self.leases()), "application/json", &lease).await? {
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
            answer => answer.map(drop).map_err(|error| Trouble::of("make the object of the echo", &error)),
        }
    }

    /// Writes again and again, until a write fails.
    async fn write(&self) {
        let mut pace = interval(EACH);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for number in 0_u64.. {
            pace.tick().await;
            if let Err(trouble) = self.write_once(number).await {
                self.broke(trouble.to_string());
                return;
            }
            self.notes().answered(number, Instant::now());
        }
    }

    async fn write_once(&self, number: u64) -> Result<(), Trouble> {
        let patch = json!({"spec": {"holderIdentity": written(self.trial, number)}});
        let request = http::Request::patch(format!("{}/{NAME}", self.leases()));
        let answer = self.call(request, "application/merge-patch+json", &patch).await?;
        answer.map(drop).map_err(|error| Trouble::of("write the object of the echo", &error))
    }

    /// Makes a request; what the API server said to it.
    async fn call(
        &self,
        request: http::request::Builder,
        content: &str,
        body: &Value,
    ) -> Result<kube::Result<String>, Trouble> {
        let request = request.header(http::header::CONTENT_TYPE, content).body(body.to_string().into_bytes());
        let request = request.map_err(|error| Trouble::of("make a request", &error))?;
        Ok(self.writer.request_text(request).await)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn a_delay_goes_from_the_answer_to_the_event_and_is_none_where_the_event_was_first() {
        let begin = Instant::now();
        let after = |ms| begin + Duration::from_millis(ms);
        let mut notes = Notes::default();
        notes.answered(0, after(10));
        notes.heard(0, after(40));
        notes.heard(1, after(110));
        notes.answered(1, after(120));
        // Of this one nobody has heard.
        notes.answered(2, after(210));
        let delays = notes.delays(after(1210));
        assert_eq!(delays.iter().map(|ms| ms.round()).collect::<Vec<_>>(), [0.0, 30.0, 1000.0]);
    }

    #[test]
    fn what_was_never_answered_says_nothing() {
        let mut notes = Notes::default();
        notes.heard(3, Instant::now());
        assert!(notes.delays(Instant::now()).is_empty());
    }

    #[rstest]
    #[case::of_this_trial(written(12, 345), Some(345))]
    #[case::of_an_earlier_trial(written(1, 345), None)]
    #[case::as_it_was_made("nobody".to_owned(), None)]
    #[case::no_number("12/many".to_owned(), None)]
    fn only_writes_of_this_trial_are_heard(#[case] text: String, #[case] number: Option<u64>) {
        assert_eq!(number_in(12, &text), number);
    }
}
