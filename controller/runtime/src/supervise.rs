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
pub struct Death {
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
pub struct Crew {
    tasks: JoinSet<()>,
    parts: BTreeMap<Id, &'static str>,
    liveness: Arc<Liveness>,
}

impl Crew {
    /// Nobody yet.
    #[must_use]
    pub fn new(liveness: &Arc<Liveness>) -> Self {
        Self { tasks: JoinSet::new(), parts: BTreeMap::new(), liveness: Arc::clone(liveness) }
    }

    /// Starts a part. Several may have one name: they do the same.
    pub fn hire(&mut self, part: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        let presence = self.liveness.hired(part);
        let handle = self.tasks.spawn(async move {
            let _presence = presence;
            work.await;
        });
        self.parts.insert(handle.id(), part);
    }

    /// The first part that ends; waits for ever while there is none.
    pub async fn death(&mut self) -> Death {
        match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => Death { part: self.name(id), how: How::Ended },
            Some(Err(error)) => self.panicked(error),
            None => pending().await,
        }
    }

    /// Waits until all have ended, as they were told to.
    ///
    /// # Errors
    /// When one panicked instead.
    pub async fn leave(&mut self) -> Result<(), Death> {
        while let Some(end) = self.tasks.join_next_with_id().await {
            if let Err(error) = end {
                return Err(self.panicked(error));
            }
        }
        Ok(())
    }

    fn panicked(&self, error: JoinError) -> Death {
        let part = self.name(error.id());
        let how = error.try_into_panic().map_or(How::Ended, |payload| How::Panicked(panics::words(&*payload)));
        Death { part, how }
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

    fn crew() -> (Crew, Arc<Liveness>) {
        let liveness = Arc::new(Liveness::new(Fence::open()));
        (Crew::new(&liveness), liveness)
    }

    #[tokio::test(start_paused = true)]
    async fn the_part_that_panics_is_named_with_what_it_said() {
        let (mut crew, liveness) = crew();
        crew.hire("workers", pending());
        crew.hire("workers", async { panic!("no {}", "way") });
        crew.hire("watch", pending());
        let death = crew.death().await;
        assert_eq!(death.to_string(), "the part `workers` panicked: no way");
        let (well, text) = liveness.answer("livez", false, Instant::now());
        assert_eq!(
            (well, text.as_str()),
            (false, "[+]ping ok\n[+]watch ok\n[-]workers failed: 1 of 2 are there\nlivez check failed\n")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_part_that_returns_is_named() {
        let (mut crew, _) = crew();
        crew.hire("watch", pending());
        crew.hire("events", async {});
        assert_eq!(crew.death().await, Death { part: "events", how: How::Ended });
    }

    #[tokio::test(start_paused = true)]
    async fn as_long_as_all_are_at_work_nothing_is_said() {
        let (mut crew, liveness) = crew();
        assert!(timeout(Duration::from_secs(60), crew.death()).await.is_err(), "there is nobody");
        crew.hire("watch", pending());
        assert!(timeout(Duration::from_secs(60), crew.death()).await.is_err());
        assert_eq!(liveness.answer("livez", false, Instant::now()), (true, "ok".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_on_the_way_out_is_told_too() {
        let (mut crew, _) = crew();
        crew.hire("workers", async {});
        assert_eq!(crew.leave().await, Ok(()));
        crew.hire("workers", async { panic!("late") });
        assert_eq!(crew.leave().await.map_err(|death| death.how), Err(How::Panicked("late".to_owned())));
    }
}
