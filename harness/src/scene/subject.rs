//! The controller under test, as far as a script may handle it.

use super::{Counts, Fault, Scene, Stop};
use jobsworth_oracle::timeline::READY_AGAIN;

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

    /// What it has counted so far.
    ///
    /// # Errors
    /// When it does not show its metrics.
    pub async fn counts(self) -> Result<Counts, Stop> {
        Ok(Counts::read(&self.scene.subject.metrics().await.map_err(Fault::from)?))
    }

    /// What it has counted since then goes into the timeline under the name `to`.
    ///
    /// # Errors
    /// When it does not show its metrics.
    pub async fn tells_what_it_counted(self, since: &Counts, to: &str) -> Result<(), Stop> {
        let now = Counts::read(&self.scene.subject.metrics().await.map_err(Fault::from)?);
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
