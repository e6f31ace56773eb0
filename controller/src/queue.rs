//! The work queue: each key at most once, in one worker's hands at a time, when it is due.
//!
//! Order is by due time and then by arrival, never by the order of a map. Keys whose last round was long may not take the last
//! free worker, so a small Job never waits behind large ones. A key that is added with a shorter delay moves forward, never back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::metrics::Metrics;

/// The first delay after a failure.
const RETRY_FIRST: Duration = Duration::from_secs(1);
/// The longest delay after failures.
const RETRY_LAST: Duration = Duration::from_secs(60);

/// How a round with a key ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It worked; look again after the delay, if there is one.
    Done(Option<Duration>),
    /// It failed; look again after a delay that doubles each time.
    Failed,
}

/// How much a round cost, as far as fairness is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// A few requests.
    Light,
    /// So many requests that a worker was busy for long.
    Heavy,
}

/// Keys that wait for a worker.
#[derive(Debug)]
pub struct WorkQueue<K> {
    name: &'static str,
    workers: usize,
    state: Mutex<State<K>>,
    changed: Notify,
    metrics: Arc<Metrics>,
}

#[derive(Debug)]
struct State<K> {
    /// Waiting keys by due time, then by arrival.
    line: BTreeSet<(Instant, u64, K)>,
    waiting: BTreeMap<K, (Instant, u64)>,
    working: BTreeMap<K, Round>,
    failures: BTreeMap<K, Failures>,
    heavy: BTreeSet<K>,
    arrivals: u64,
    closed: bool,
}

/// How often a key failed in a row.
#[derive(Debug)]
struct Failures {
    count: u32,
    /// Events do not bring it back earlier; only what is urgent does.
    not_before: Instant,
}

#[derive(Debug)]
struct Round {
    since: Instant,
    weight: Weight,
    /// The key was added again meanwhile, due then.
    again: Option<Instant>,
}

impl<K: Ord + Clone> WorkQueue<K> {
    /// An empty queue for this many workers.
    #[must_use]
    pub fn new(name: &'static str, workers: usize, metrics: Arc<Metrics>) -> Self {
        let state = State {
            line: BTreeSet::new(),
            waiting: BTreeMap::new(),
            working: BTreeMap::new(),
            failures: BTreeMap::new(),
            heavy: BTreeSet::new(),
            arrivals: 0,
            closed: false,
        };
        metrics.queue_depth(name, 0);
        Self { name, workers: workers.max(1), state: Mutex::new(state), changed: Notify::new(), metrics }
    }

    /// Adds a key that is due after `delay`. One that is due earlier already stays where it is, and one that failed comes
    /// back earlier than its delay says only when this is urgent: without any delay.
    pub fn add(&self, key: K, delay: Duration) {
        let asked = Instant::now() + delay;
        self.with(|state| {
            self.metrics.queue_add(self.name);
            let not_before = state.failures.get(&key).filter(|_| !delay.is_zero()).map_or(asked, |it| it.not_before);
            let due = asked.max(not_before);
            match state.working.get_mut(&key) {
                Some(round) => round.again = Some(round.again.map_or(due, |old| old.min(due))),
                None => state.put(key, due),
            }
            self.metrics.queue_depth(self.name, state.waiting.len());
        });
        self.changed.notify_waiters();
    }

    /// The next key that is due; `None` once the queue is closed.
    /// One key is in one worker's hands at a time (SYN-001).
    pub async fn take(&self) -> Option<K> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            let next = self.with(|state| {
                if state.closed {
                    return Next::Closed;
                }
                let next = state.next(self.workers, Instant::now());
                if let Next::Key(_, due) = &next {
                    self.metrics.queue_taken(self.name, due.elapsed());
                    self.metrics.queue_depth(self.name, state.waiting.len());
                }
                next
            });
            match next {
                Next::Closed => return None,
                Next::Key(key, _) => return Some(key),
                Next::At(Some(at)) => tokio::select! {
                    biased;
                    () = &mut changed => {}
                    () = sleep_until(at) => {}
                },
                Next::At(None) => changed.await,
            }
        }
    }

    /// Ends the round of a key that [`take`](Self::take) gave out.
    pub fn finish(&self, key: K, outcome: Outcome, weight: Weight) {
        self.with(|state| {
            let round = state.working.remove(&key);
            if let Some(round) = &round {
                self.metrics.queue_worked(self.name, round.since.elapsed());
            }
            match weight {
                Weight::Light => state.heavy.remove(&key),
                Weight::Heavy => state.heavy.insert(key.clone()),
            };
            let now = Instant::now();
            let wanted = match outcome {
                Outcome::Done(delay) => {
                    state.failures.remove(&key);
                    [round.and_then(|round| round.again), delay.map(|delay| now + delay)].into_iter().flatten().min()
                }
                Outcome::Failed => {
                    self.metrics.queue_retry(self.name);
                    let first = Failures { count: 0, not_before: now };
                    let failures = state.failures.entry(key.clone()).or_insert(first);
                    failures.not_before = now + retry_delay(failures.count);
                    failures.count = failures.count.saturating_add(1);
                    // What happened meanwhile does not shorten the delay: it would retry at the pace of events.
                    Some(failures.not_before)
                }
            };
            match wanted {
                Some(due) => state.put(key, due),
                None => {
                    state.heavy.remove(&key);
                }
            }
            self.metrics.queue_depth(self.name, state.waiting.len());
        });
        self.changed.notify_waiters();
    }

    /// Gives out nothing any more.
    pub fn close(&self) {
        self.with(|state| state.closed = true);
        self.changed.notify_waiters();
    }

    fn with<T>(&self, change: impl FnOnce(&mut State<K>) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

enum Next<K> {
    Key(K, Instant),
    At(Option<Instant>),
    Closed,
}

impl<K: Ord + Clone> State<K> {
    fn put(&mut self, key: K, due: Instant) {
        if let Some((old, arrival)) = self.waiting.get(&key).copied() {
            if old <= due {
                return;
            }
            self.line.remove(&(old, arrival, key.clone()));
        }
        self.arrivals += 1;
        self.waiting.insert(key.clone(), (due, self.arrivals));
        self.line.insert((due, self.arrivals, key));
    }

    fn next(&mut self, workers: usize, now: Instant) -> Next<K> {
        let heavy_at_work = self.working.values().filter(|round| round.weight == Weight::Heavy).count();
        let heavy_may = workers == 1 || heavy_at_work + 1 < workers;
        let found =
            self.line.iter().find(|(due, _, key)| *due > now || heavy_may || !self.heavy.contains(key)).cloned();
        match found {
            Some((due, arrival, key)) if due <= now => {
                self.line.remove(&(due, arrival, key.clone()));
                self.waiting.remove(&key);
                let weight = if self.heavy.contains(&key) { Weight::Heavy } else { Weight::Light };
                self.working.insert(key.clone(), Round { since: now, weight, again: None });
                Next::Key(key, due)
            }
            Some((due, ..)) => Next::At(Some(due)),
            None => Next::At(None),
        }
    }
}

/// (SYN-005)
fn retry_delay(failures: u32) -> Duration {
    RETRY_FIRST.saturating_mul(1_u32.checked_shl(failures.min(16)).unwrap_or(u32::MAX)).min(RETRY_LAST)
}

#[cfg(test)]
mod tests;
