//! The same with the structures of the client library of the built-in controller: a bucket that serves in the order of
//! arrival, a heap of delayed keys in front of a queue with sets of what waits and what is at work. Frozen, as the measure.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

/// First come, first served.
#[derive(Default)]
pub struct Bucket {
    waiting: Mutex<VecDeque<oneshot::Sender<()>>>,
}

impl Bucket {
    pub fn enqueue(&self) -> oneshot::Receiver<()> {
        let (sender, granted) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(sender);
        granted
    }

    /// Serves all.
    pub fn serve(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(sender) = waiting.pop_front() {
            let _ = sender.send(());
        }
    }
}

/// Keys with delays.
#[derive(Default)]
pub struct DelayingQueue {
    delayed: BinaryHeap<Reverse<(Instant, Arc<str>)>>,
    due: HashMap<Arc<str>, Instant>,
    line: VecDeque<Arc<str>>,
    dirty: HashSet<Arc<str>>,
    working: HashSet<Arc<str>>,
}

impl DelayingQueue {
    pub fn add(&mut self, key: Arc<str>, delay: Duration) {
        let due = Instant::now() + delay;
        if self.due.get(&key).is_some_and(|old| *old <= due) {
            return;
        }
        self.due.insert(Arc::clone(&key), due);
        self.delayed.push(Reverse((due, key)));
    }

    pub fn take(&mut self) -> Option<Arc<str>> {
        let now = Instant::now();
        while self.delayed.peek().is_some_and(|Reverse((due, _))| *due <= now) {
            let Some(Reverse((_, key))) = self.delayed.pop() else { break };
            self.due.remove(&key);
            if self.dirty.insert(Arc::clone(&key)) && !self.working.contains(&key) {
                self.line.push_back(key);
            }
        }
        let key = self.line.pop_front()?;
        self.dirty.remove(&key);
        self.working.insert(Arc::clone(&key));
        Some(key)
    }

    pub fn finish(&mut self, key: &Arc<str>) {
        self.working.remove(key);
    }
}
