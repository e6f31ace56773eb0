//! The controller under test, as far as a script may handle it.

use super::{Fault, Scene, Stop};

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

    /// Starts it again and waits until it is ready.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn restart(self) -> Result<(), Stop> {
        self.scene.mark("subject restarted").await?;
        Ok(self.scene.subject.clone().restart().await.map_err(Fault::from)?)
    }
}
