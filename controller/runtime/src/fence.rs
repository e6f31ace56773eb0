//! Until when writes may leave: no longer than the lease is held.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

/// Until when writes may leave.
#[derive(Debug)]
pub struct Fence {
    until: Mutex<Until>,
}

/// Until when, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// There is no election.
    Always,
    /// There is one, and the lease is not held.
    Never,
    /// The lease is held, and must be renewed by then.
    At(Instant),
}

impl Fence {
    /// For a program that runs alone: open for ever.
    #[must_use]
    pub fn open() -> Arc<Self> {
        Arc::new(Self { until: Mutex::new(Until::Always) })
    }

    /// Shut until a lease is held.
    #[must_use]
    pub fn shut() -> Arc<Self> {
        Arc::new(Self { until: Mutex::new(Until::Never) })
    }

    /// For how long writes may still leave; `None` when they may not.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        match self.until() {
            Until::Always => Some(Duration::MAX),
            Until::Never => None,
            Until::At(end) => end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()),
        }
    }

    /// Goes on with `work` for as long as writes may leave; `None` when they no longer may. The look comes before each step,
    /// so a process that was stopped in between does nothing more.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| match self.left() {
            Some(_) => work.as_mut().poll(context).map(Some),
            None => Poll::Ready(None),
        })
        .await
    }

    /// Until when writes may leave.
    #[must_use]
    pub fn until(&self) -> Until {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets nothing more leave.
    pub fn close(&self) {
        self.set(Until::Never);
    }

    pub(crate) fn set(&self, until: Until) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}
