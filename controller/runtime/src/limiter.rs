//! One token bucket for every request of an identity, shared fairly.
//!
//! Namespaces take turns, and inside a namespace the objects that work is done for: small ones before large ones, and one turn in eight
//! is that of whoever has had none for longest. So one that needs five requests never waits behind the 400 requests of another, and a
//! namespace does not get more by having more objects, or dependents that name owners which are none. Events have a flow of their own that
//! gets what is left over, and a turn in eight once they wait long.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::client::CallError;
use crate::hold::{WAIT_AT_LEAST, WAIT_AT_MOST};
use crate::horizon::later;
use crate::key::Uid;
use crate::order::Order;

/// After this long an event gets a turn although work is waiting.
const EVENT_PATIENCE: Duration = Duration::from_secs(10);
/// How many turns work gets for one of an impatient event.
const TURNS_PER_EVENT: u32 = 7;

/// Whose request it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// For an object that the controller looks after: itself and what it owns.
    Owner {
        /// Its `metadata.namespace`.
        namespace: Arc<str>,
        /// Its `metadata.uid`.
        uid: Uid,
        /// How many requests are left to be made for it, this one included.
        size: u32,
    },
    /// For objects of a namespace that nobody looks after. Who owns them may be an invention, so they are one flow, and there may be any
    /// number of them, so it is as large as can be.
    Orphans(Arc<str>),
    /// A Kubernetes Event.
    Event,
}

/// The bucket and who waits for it. Dropping the future of [`acquire`](Self::acquire) gives the place up.
#[derive(Debug)]
pub struct Limiter {
    state: Mutex<State>,
    changed: Notify,
}

type Grant = oneshot::Sender<()>;

#[derive(Debug)]
struct State {
    bucket: Bucket,
    paused_until: Option<Instant>,
    work: Namespaces,
    events: VecDeque<(Instant, Grant)>,
    turns_since_event: u32,
}

/// Those that take turns.
#[derive(Debug, Default)]
struct Namespaces {
    /// Those in which somebody waits, in the order in which they get their next turn.
    order: VecDeque<Arc<str>>,
    lanes: BTreeMap<Arc<str>, Lanes>,
}

/// The objects of a namespace for which requests wait.
#[derive(Debug, Default)]
struct Lanes {
    order: Order<Uid>,
    requests: BTreeMap<Uid, VecDeque<Grant>>,
}

impl Namespaces {
    fn push(&mut self, namespace: &Arc<str>, object: &Uid, size: u32, sender: Grant) {
        if !self.lanes.contains_key(namespace) {
            self.order.push_back(Arc::clone(namespace));
        }
        self.lanes.entry(Arc::clone(namespace)).or_default().push(object, size, sender);
    }

    /// The one whose turn it is. A namespace in which somebody still waits goes to the end.
    fn next(&mut self) -> Option<Grant> {
        let namespace = self.order.pop_front()?;
        let lanes = self.lanes.get_mut(&namespace)?;
        let next = lanes.next();
        if lanes.requests.is_empty() {
            self.lanes.remove(&namespace);
        } else {
            self.order.push_back(namespace);
        }
        next
    }

    fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

impl Lanes {
    fn push(&mut self, object: &Uid, size: u32, sender: Grant) {
        if !self.requests.contains_key(object) {
            self.order.push(size, Arc::clone(object));
        }
        self.requests.entry(Arc::clone(object)).or_default().push_back(sender);
    }

    /// An object for which more requests wait goes to the end of those of its size.
    fn next(&mut self) -> Option<Grant> {
        let (size, object) = self.order.pop(u32::MAX)?;
        let requests = self.requests.get_mut(&object)?;
        let next = requests.pop_front();
        if requests.is_empty() {
            self.requests.remove(&object);
        } else {
            self.order.push(size, object);
        }
        next
    }
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

    /// When there is a token, if there is none.
    fn wait(&mut self, now: Instant) -> Option<Instant> {
        self.refill(now);
        if self.tokens >= 1.0 {
            return None;
        }
        // A rate near nothing makes a wait near for ever.
        let wait = Duration::try_from_secs_f64((1.0 - self.tokens) / self.per_second).unwrap_or(Duration::MAX);
        Some(later(now, wait.saturating_add(Duration::from_micros(1))))
    }
}

impl Limiter {
    /// A full bucket of `burst` tokens, at least one, that refills at `per_second`, as `client-go`'s flow control does.
    /// It gives nothing out before [`run`](Self::run) is polled.
    #[must_use]
    pub fn new(per_second: f64, burst: u32) -> Arc<Self> {
        let size = f64::from(burst.max(1));
        let bucket = Bucket { per_second, size, tokens: size, counted_at: Instant::now() };
        let state = State {
            bucket,
            paused_until: None,
            work: Namespaces::default(),
            events: VecDeque::new(),
            turns_since_event: 0,
        };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new() })
    }

    /// Waits for a token, for as long as it takes.
    pub async fn acquire(&self, flow: Flow) {
        let (sender, granted) = oneshot::channel();
        self.with(|state| state.enqueue(&flow, sender));
        self.changed.notify_one();
        // The sender lives as long as the queue, and the queue as long as `self`.
        let _ = granted.await;
    }

    /// Gives out nothing for a while, at most [`WAIT_AT_MOST`]: the API server is overloaded and asked to be left alone by
    /// everybody.
    pub fn pause(&self, pause: Duration) {
        let until = later(Instant::now(), pause.min(WAIT_AT_MOST));
        self.with(|state| state.paused_until = Some(state.paused_until.map_or(until, |old| old.max(until))));
        self.changed.notify_one();
    }

    /// After which time what failed like this may be tried again, if the answer says so. If the API server itself has too
    /// much to do, nothing is given out until then.
    pub fn again_after(&self, error: &CallError) -> Option<Duration> {
        let wait = error.retry_after()?.clamp(WAIT_AT_LEAST, WAIT_AT_MOST);
        if error.is_overload() {
            self.pause(wait);
        }
        Some(wait)
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
    fn enqueue(&mut self, flow: &Flow, sender: Grant) {
        // No UID is empty.
        const NO_OWNER: &str = "";
        match flow {
            Flow::Event => self.events.push_back((Instant::now(), sender)),
            Flow::Owner { namespace, uid, size } => self.work.push(namespace, uid, *size, sender),
            Flow::Orphans(namespace) => self.work.push(namespace, &NO_OWNER.into(), u32::MAX, sender),
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
        while !(self.work.is_empty() && self.events.is_empty()) {
            // Who is next is found out when there is something to give: until then others may come.
            if let Some(at) = self.bucket.wait(now) {
                return Some(at);
            }
            // Who gave up costs nothing.
            if self.next(now).is_some_and(|sender| sender.send(()).is_ok()) {
                self.bucket.tokens -= 1.0;
            }
        }
        None
    }

    /// The one whose turn it is.
    fn next(&mut self, now: Instant) -> Option<Grant> {
        let waited = |since: Instant| now.saturating_duration_since(since);
        let impatient = self.events.front().is_some_and(|(since, _)| waited(*since) >= EVENT_PATIENCE);
        if (impatient && self.turns_since_event >= TURNS_PER_EVENT) || self.work.is_empty() {
            self.turns_since_event = 0;
            return self.events.pop_front().map(|(_, sender)| sender);
        }
        self.turns_since_event = self.turns_since_event.saturating_add(1);
        self.work.next()
    }
}

#[cfg(test)]
mod tests;
