//! The parts that must be there for as long as the program works. When one ends, the program does, so that another takes over.
//!
//! A program that goes on without its watches or workers is worse than none: it holds the lease and does nothing with it.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use tokio::task::{Id, JoinError, JoinSet};

use crate::liveness::Liveness;
use crate::panics;

/// A part ended although the program was to go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the part `{part}` {how}")]
pub struct PartExit {
    /// Which one.
    pub part: &'static str,
    /// In which way.
    pub how: How,
}

/// How a part ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum How {
    /// It returned.
    #[error("ended by itself")]
    Ended,
    /// It panicked, and said this.
    #[error("panicked: {0}")]
    Panicked(String),
}

/// Parts at work. Dropping it stops them where they stand.
#[derive(Debug)]
pub struct Supervisor {
    tasks: JoinSet<()>,
    parts: BTreeMap<Id, &'static str>,
    liveness: Arc<Liveness>,
}

impl Supervisor {
    /// No part yet; `liveness` hears of every one.
    #[must_use]
    pub fn new(liveness: &Arc<Liveness>) -> Self {
        Self { tasks: JoinSet::new(), parts: BTreeMap::new(), liveness: Arc::clone(liveness) }
    }

    /// Starts a part. Several may have one name: they do the same.
    pub fn spawn(&mut self, part: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        let presence = self.liveness.register(part);
        let handle = self.tasks.spawn(async move {
            let _presence = presence;
            work.await;
        });
        self.parts.insert(handle.id(), part);
    }

    /// The first part that ends; waits for ever while there is none.
    pub async fn first_exit(&mut self) -> PartExit {
        match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => PartExit { part: self.name(id), how: How::Ended },
            Some(Err(error)) => self.panicked(error),
            None => pending().await,
        }
    }

    /// Waits until all have ended, as they were told to.
    ///
    /// # Errors
    /// When one panicked instead.
    pub async fn join(&mut self) -> Result<(), PartExit> {
        while let Some(end) = self.tasks.join_next_with_id().await {
            if let Err(error) = end {
                return Err(self.panicked(error));
            }
        }
        Ok(())
    }

    fn panicked(&self, error: JoinError) -> PartExit {
        let part = self.name(error.id());
        let how = error.try_into_panic().map_or(How::Ended, |payload| How::Panicked(panics::words(&*payload)));
        PartExit { part, how }
    }

    fn name(&self, id: Id) -> &'static str {
        self.parts.get(&id).copied().unwrap_or("unknown")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, timeout};

    use super::*;
    use crate::fence::Fence;

    fn supervisor() -> (Supervisor, Arc<Liveness>) {
        let liveness = Arc::new(Liveness::new(Fence::open()));
        (Supervisor::new(&liveness), liveness)
    }

    #[tokio::test(start_paused = true)]
    async fn the_part_that_panics_is_named_with_what_it_said() {
        let (mut supervisor, liveness) = supervisor();
        supervisor.spawn("workers", pending());
        supervisor.spawn("workers", async { panic!("no {}", "way") });
        supervisor.spawn("watch", pending());
        let exit = supervisor.first_exit().await;
        assert_eq!(exit.to_string(), "the part `workers` panicked: no way");
        let (well, text) = liveness.answer("livez", false, Instant::now());
        assert_eq!(
            (well, text.as_str()),
            (false, "[+]ping ok\n[+]watch ok\n[-]workers failed: 1 of 2 are there\nlivez check failed\n")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_part_that_returns_is_named() {
        let (mut supervisor, _) = supervisor();
        supervisor.spawn("watch", pending());
        supervisor.spawn("events", async {});
        assert_eq!(supervisor.first_exit().await, PartExit { part: "events", how: How::Ended });
    }

    #[tokio::test(start_paused = true)]
    async fn as_long_as_all_are_at_work_nothing_is_said() {
        let (mut supervisor, liveness) = supervisor();
        assert!(timeout(Duration::from_secs(60), supervisor.first_exit()).await.is_err(), "there is nobody");
        supervisor.spawn("watch", pending());
        assert!(timeout(Duration::from_secs(60), supervisor.first_exit()).await.is_err());
        assert_eq!(liveness.answer("livez", false, Instant::now()), (true, "ok".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_on_the_way_out_is_told_too() {
        let (mut supervisor, _) = supervisor();
        supervisor.spawn("workers", async {});
        assert_eq!(supervisor.join().await, Ok(()));
        supervisor.spawn("workers", async { panic!("late") });
        assert_eq!(supervisor.join().await.map_err(|exit| exit.how), Err(How::Panicked("late".to_owned())));
    }
}
