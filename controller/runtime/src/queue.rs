//! The work queue: each key at most once, in one worker's hands at a time, when it is due.
//!
//! Of keys that are due, tenants take turns, and of those of one tenant small ones come before large ones, one turn in eight left out;
//! else the order is by due time and then by arrival, never by the order of a map. Large keys may not take the last free worker, so a
//! small object never waits behind large ones that are at work. A key that is added with a shorter delay moves forward, never back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::horizon::later;
use crate::metrics::{Metrics, QueueMetrics};

mod turns;

pub use turns::Tenancy;
use turns::Turns;

/// From so many requests on a key is large: a Job of ten pods. With 100, Jobs of twenty pods that wait for the bucket had all workers, and
/// a Job of five pods waited for one of them.
const LARGE: u32 = 20;
/// The first delay after a failure.
const RETRY_FIRST: Duration = Duration::from_secs(1);
/// The longest delay after failures.
const RETRY_LAST: Duration = Duration::from_secs(60);

/// How a round with a key ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It worked; look again after the delay, if there is one. Without one, the key comes back when it is added.
    Done(Option<Duration>),
    /// It failed; look again after a delay that doubles each time, from 1 s to 60 s.
    Failed,
}

/// Keys that wait for a worker.
#[derive(Debug)]
pub struct WorkQueue<K: Tenancy> {
    workers: usize,
    state: Arc<Mutex<State<K>>>,
    changed: Notify,
    metrics: QueueMetrics,
}

#[derive(Debug)]
struct State<K: Tenancy> {
    /// Keys whose time has not come, by due time, then by arrival.
    timers: BTreeSet<(Instant, u64, K)>,
    /// Keys whose time has come.
    due: Turns<K>,
    /// Both, and where they are.
    waiting: BTreeMap<K, Waiting>,
    working: BTreeMap<K, Round>,
    failures: BTreeMap<K, Failures>,
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

#[derive(Clone, Copy, Debug)]
struct Waiting {
    due: Instant,
    arrival: u64,
    size: u32,
}

#[derive(Debug)]
struct Round {
    since: Instant,
    size: u32,
    /// Its size as it was said last.
    size_again: u32,
    /// The key was added again meanwhile, due then.
    again: Option<Instant>,
}

impl<K: Tenancy> WorkQueue<K> {
    /// An empty queue for this many workers, at least one. Its series have this `name`.
    #[must_use]
    pub fn new(name: &'static str, workers: usize, metrics: &Metrics) -> Self {
        let state = State {
            timers: BTreeSet::new(),
            due: Turns::new(),
            waiting: BTreeMap::new(),
            working: BTreeMap::new(),
            failures: BTreeMap::new(),
            arrivals: 0,
            closed: false,
        };
        let state = Arc::new(Mutex::new(state));
        // Time goes on without a change of the queue, and the metrics with it.
        let seen = Arc::downgrade(&state);
        let series = metrics.queue(name);
        let shown = series.clone();
        metrics.before_each_scrape(move || {
            if let Some(state) = seen.upgrade() {
                lock(&state).measure(&shown, Instant::now());
            }
        });
        Self { workers: workers.max(1), state, changed: Notify::new(), metrics: series }
    }

    /// Adds a key that is due after `delay`, of a size that is not known: the one that it has, or none. One that is due earlier already
    /// stays where it is, and one that failed comes back earlier than its delay says only when this is urgent: without any delay.
    pub fn add(&self, key: K, delay: Duration) {
        self.put(key, delay, None);
    }

    /// The same for a key of a known size: how many requests are left to be made for it. What is said while it is due already, and only
    /// waits for a worker, comes too late for its place.
    pub fn add_sized(&self, key: K, delay: Duration, size: u32) {
        self.put(key, delay, Some(size));
    }

    fn put(&self, key: K, delay: Duration, size: Option<u32>) {
        self.with(|state| {
            let asked = later(Instant::now(), delay);
            if !delay.is_zero() {
                self.metrics.retried();
            }
            let not_before = state.failures.get(&key).filter(|_| !delay.is_zero()).map_or(asked, |it| it.not_before);
            let due = asked.max(not_before);
            match state.working.get_mut(&key) {
                Some(round) => {
                    round.again = Some(round.again.map_or(due, |old| old.min(due)));
                    round.size_again = size.unwrap_or(round.size_again);
                }
                None => state.put(key, due, size),
            }
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
                let now = Instant::now();
                state.ring(&self.metrics, now);
                let next = state.next(self.workers, now);
                if let Next::Key(_, since) = &next {
                    self.metrics.taken(now.saturating_duration_since(*since));
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
    pub fn finish(&self, key: K, outcome: Outcome) {
        self.with(|state| {
            let round = state.working.remove(&key);
            if let Some(round) = &round {
                self.metrics.worked(round.since.elapsed());
            }
            let (size, again) = round.map_or((0, None), |round| (round.size_again, round.again));
            let now = Instant::now();
            let wanted = match outcome {
                Outcome::Done(delay) => {
                    state.failures.remove(&key);
                    if delay.is_some() {
                        self.metrics.retried();
                    }
                    let asked = delay.map(|delay| later(now, delay));
                    [again, asked].into_iter().flatten().min()
                }
                Outcome::Failed => {
                    self.metrics.retried();
                    let first = Failures { count: 0, not_before: now };
                    let failures = state.failures.entry(key.clone()).or_insert(first);
                    failures.not_before = later(now, retry_delay(failures.count));
                    failures.count = failures.count.saturating_add(1);
                    // What happened meanwhile does not shorten the delay: it would retry at the pace of events.
                    Some(failures.not_before)
                }
            };
            if let Some(due) = wanted {
                state.put(key, due, Some(size));
            }
        });
        self.changed.notify_waiters();
    }

    /// Gives out nothing any more.
    pub fn close(&self) {
        self.with(|state| state.closed = true);
        self.changed.notify_waiters();
    }

    fn with<T>(&self, change: impl FnOnce(&mut State<K>) -> T) -> T {
        change(&mut lock(&self.state))
    }
}

fn lock<K: Tenancy>(state: &Mutex<State<K>>) -> MutexGuard<'_, State<K>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Next<K> {
    Key(K, Instant),
    At(Option<Instant>),
    Closed,
}

impl<K: Tenancy> State<K> {
    fn put(&mut self, key: K, due: Instant, size: Option<u32>) {
        let size = size.or(self.waiting.get(&key).map(|old| old.size)).unwrap_or_default();
        if let Some(old) = self.waiting.get_mut(&key) {
            old.size = size;
            // What is due already is due before everything that is asked for now.
            if old.due <= due {
                return;
            }
            self.timers.remove(&(old.due, old.arrival, key.clone()));
        }
        self.arrivals = self.arrivals.saturating_add(1);
        self.waiting.insert(key.clone(), Waiting { due, arrival: self.arrivals, size });
        self.timers.insert((due, self.arrivals, key));
    }

    /// Moves the keys whose time has come to those that are due. A key counts as added now, as upstream.
    fn ring(&mut self, metrics: &QueueMetrics, now: Instant) {
        while self.timers.first().is_some_and(|(due, ..)| *due <= now)
            && let Some((due, _, key)) = self.timers.pop_first()
        {
            metrics.added();
            let size = self.waiting.get(&key).map_or(0, |waiting| waiting.size);
            self.due.push(due, key, size);
        }
    }

    /// Brings the gauges up to date. What is at work and due again is part of the depth, as upstream.
    fn measure(&mut self, metrics: &QueueMetrics, now: Instant) {
        self.ring(metrics, now);
        let again = self.working.values().filter(|round| round.again.is_some_and(|due| due <= now)).count();
        metrics.set_depth(self.due.len().saturating_add(again));
        let under_way = || self.working.values().map(|round| now.saturating_duration_since(round.since));
        let total = under_way().fold(Duration::ZERO, Duration::saturating_add);
        metrics.set_under_way(total, under_way().max().unwrap_or_default());
    }

    fn next(&mut self, workers: usize, now: Instant) -> Next<K> {
        let large_at_work = self.working.values().filter(|round| round.size >= LARGE).count();
        let large_may = workers == 1 || large_at_work < workers.saturating_sub(1);
        match self.due.pop(if large_may { u32::MAX } else { LARGE.saturating_sub(1) }) {
            Some((size, since, key)) => {
                self.waiting.remove(&key);
                self.working.insert(key.clone(), Round { since: now, size, size_again: size, again: None });
                Next::Key(key, since)
            }
            None => Next::At(self.timers.first().map(|(due, ..)| *due)),
        }
    }
}

/// (SYN-005)
fn retry_delay(failures: u32) -> Duration {
    RETRY_FIRST.saturating_mul(1_u32.checked_shl(failures.min(16)).unwrap_or(u32::MAX)).min(RETRY_LAST)
}

#[cfg(test)]
mod tests;
