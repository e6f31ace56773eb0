//! The controller under test, as far as a script may handle it.

use super::{Counts, Fault, PATIENCE, Scene, Stop};
use jobsworth_oracle::timeline::READY_AGAIN;
use std::time::Duration;
use tokio::time::Instant;

/// Without a count for so long nothing is under way: the built-in controller puts off looks for a second. Nobody tells when one counts.
const AT_REST: Duration = Duration::from_millis(1500);

/// Handles the subject; only for cases that say so in their needs.
pub struct SubjectHandle<'s> {
    scene: &'s mut Scene,
}

impl<'s> SubjectHandle<'s> {
    pub(super) fn new(scene: &'s mut Scene) -> Self {
        Self { scene }
    }

    /// Kills it as `kill -9` does, and waits until it is gone.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub async fn crash(self) -> Result<(), Stop> {
        self.scene.subject.clone().crash().await.map_err(Fault::from)?;
        self.scene.mark("subject crashed").await
    }

    /// What it has counted so far, once it counts nothing for a while: it may still have to let go of what the cases before this one left.
    ///
    /// # Errors
    /// When it does not show its metrics. [`Stop::Stalled`] when it goes on counting for [`PATIENCE`].
    pub async fn counts(self) -> Result<Counts, Stop> {
        let began = Instant::now();
        let mut counts = self.counted().await?;
        while began.elapsed() < PATIENCE {
            tokio::time::sleep(AT_REST).await;
            let later = self.counted().await?;
            if later == counts {
                return Ok(counts);
            }
            counts = later;
        }
        Err(Stop::Stalled { waited_for: "the controller to count nothing any more".to_owned(), limit: PATIENCE })
    }

    async fn counted(&self) -> Result<Counts, Stop> {
        Ok(Counts::read(&self.scene.subject.metrics().await.map_err(Fault::from)?))
    }

    /// What it has counted since then goes into the timeline under the name `to`.
    ///
    /// # Errors
    /// When it does not show its metrics.
    pub async fn tells_what_it_counted(self, since: &Counts, to: &str) -> Result<(), Stop> {
        let now = self.counted().await?;
        self.scene.note(to, now.since(since));
        Ok(())
    }

    /// Starts it again and waits until it is ready.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn restart(self) -> Result<(), Stop> {
        self.scene.mark("subject restarted").await?;
        self.scene.subject.clone().restart().await.map_err(Fault::from)?;
        self.scene.mark(READY_AGAIN).await
    }
}
