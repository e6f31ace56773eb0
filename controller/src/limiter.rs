//! One token bucket for every request of an identity, shared fairly.
//!
//! Jobs take turns: each has a queue of its own in front of the bucket, so a Job of five pods never waits behind the 400
//! requests of another. Events have a lane of their own that gets what is left over, and a turn in eight once they wait long.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::horizon::later;

/// After this long an event gets a turn although work is waiting.
const EVENT_PATIENCE: Duration = Duration::from_secs(10);
/// How many turns work gets for one of an impatient event.
const TURNS_PER_EVENT: u32 = 7;
/// The longest pause that an answer can ask for.
const PAUSE_AT_MOST: Duration = Duration::from_secs(60);

/// Whose request it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Pods and status of the Job with this UID.
    Job(String),
    /// A Kubernetes Event.
    Event,
}

/// The bucket and who waits for it. Dropping the future of [`acquire`](Self::acquire) gives the place up.
#[derive(Debug)]
pub struct Limiter {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    bucket: Bucket,
    paused_until: Option<Instant>,
    /// Jobs that wait, in the order in which they get their next turn.
    turns: VecDeque<String>,
    jobs: BTreeMap<String, VecDeque<oneshot::Sender<()>>>,
    events: VecDeque<(Instant, oneshot::Sender<()>)>,
    turns_since_event: u32,
}

/// Tokens that come back with time.
#[derive(Debug)]
struct Bucket {
    per_second: f64,
    size: f64,
    tokens: f64,
    counted_at: Instant,
}

impl Bucket {
    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.counted_at).as_secs_f64();
        self.tokens = (self.tokens + passed * self.per_second).min(self.size);
        self.counted_at = now;
    }

    /// Takes a token, or says when there will be one.
    fn take(&mut self, now: Instant) -> Result<(), Instant> {
        self.refill(now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        // A rate near nothing makes a wait near for ever.
        let wait = Duration::try_from_secs_f64((1.0 - self.tokens) / self.per_second).unwrap_or(Duration::MAX);
        Err(later(now, wait.saturating_add(Duration::from_micros(1))))
    }
}

impl Limiter {
    /// A full bucket. It gives nothing out before [`run`](Self::run) is polled.
    #[must_use]
    pub fn new(per_second: f64, burst: u32) -> Arc<Self> {
        let size = f64::from(burst.max(1));
        let bucket = Bucket { per_second, size, tokens: size, counted_at: Instant::now() };
        let state = State {
            bucket,
            paused_until: None,
            turns: VecDeque::new(),
            jobs: BTreeMap::new(),
            events: VecDeque::new(),
            turns_since_event: 0,
        };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new() })
    }

    /// Waits for a token.
    pub async fn acquire(&self, lane: Lane) {
        let (sender, granted) = oneshot::channel();
        self.with(|state| state.enqueue(lane, sender));
        self.changed.notify_one();
        // The sender lives as long as the queue, and the queue as long as `self`.
        let _ = granted.await;
    }

    /// Gives out nothing for a while: the API server asked to be left alone.
    pub fn pause(&self, pause: Duration) {
        let until = later(Instant::now(), pause.min(PAUSE_AT_MOST));
        self.with(|state| state.paused_until = Some(state.paused_until.map_or(until, |old| old.max(until))));
        self.changed.notify_one();
    }

    /// Gives tokens out, for as long as it is polled.
    pub async fn run(&self) {
        loop {
            let next = self.with(State::grant);
            match next {
                Some(at) => tokio::select! {
                    biased;
                    () = sleep_until(at) => {}
                    () = self.changed.notified() => {}
                },
                None => self.changed.notified().await,
            }
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn enqueue(&mut self, lane: Lane, sender: oneshot::Sender<()>) {
        match lane {
            Lane::Event => self.events.push_back((Instant::now(), sender)),
            Lane::Job(uid) => {
                let queue = self.jobs.entry(uid.clone()).or_default();
                if queue.is_empty() {
                    self.turns.push_back(uid);
                }
                queue.push_back(sender);
            }
        }
    }

    /// Gives out all that can be given now; returns when to look again, unless nobody waits.
    fn grant(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if let Some(until) = self.paused_until {
            if now < until {
                return Some(until);
            }
            self.paused_until = None;
        }
        while let Some(sender) = self.next(now) {
            if sender.is_closed() {
                continue;
            }
            match self.bucket.take(now) {
                Ok(()) => {
                    if sender.send(()).is_err() {
                        self.bucket.tokens += 1.0;
                    }
                }
                Err(at) => {
                    self.put_back(sender);
                    return Some(at);
                }
            }
        }
        None
    }

    /// The one whose turn it is. A Job that still waits goes to the end of the line.
    fn next(&mut self, now: Instant) -> Option<oneshot::Sender<()>> {
        let impatient = self.events.front().is_some_and(|(since, _)| now.duration_since(*since) >= EVENT_PATIENCE);
        if (impatient && self.turns_since_event >= TURNS_PER_EVENT) || self.turns.is_empty() {
            self.turns_since_event = 0;
            return self.events.pop_front().map(|(_, sender)| sender);
        }
        self.turns_since_event = self.turns_since_event.saturating_add(1);
        let uid = self.turns.pop_front()?;
        let queue = self.jobs.get_mut(&uid)?;
        let sender = queue.pop_front();
        if queue.is_empty() {
            self.jobs.remove(&uid);
        } else {
            self.turns.push_back(uid);
        }
        sender
    }

    /// Undoes [`next`](Self::next) as far as order matters: the one who was told to wait is served first.
    fn put_back(&mut self, sender: oneshot::Sender<()>) {
        const FIRST: &str = "";
        self.jobs.entry(FIRST.to_owned()).or_default().push_front(sender);
        if self.turns.front().is_none_or(|uid| uid != FIRST) {
            self.turns.push_front(FIRST.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
