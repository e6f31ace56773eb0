//! A subject that runs as two processes, of which one leads, and what can be done to each.

use super::ClusterError;
use crate::wire::Election;
use async_trait::async_trait;
use tokio::sync::watch;

/// Two instances of a subject, by name.
#[async_trait]
pub trait Instances: Send + Sync {
    /// Who leads, by the Leases that they wrote.
    fn election(&self) -> watch::Receiver<Election>;

    /// Kills one with -9 and returns when it is gone; it stays away.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn kill(&self, instance: &str) -> Result<(), ClusterError>;

    /// Stops one in its tracks; it knows nothing of the time that passes.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn pause(&self, instance: &str) -> Result<(), ClusterError>;

    /// Lets it go on after [`pause`](Self::pause). Should it end for what it has lost, it is started again, as a kubelet does.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn resume(&self, instance: &str) -> Result<(), ClusterError>;
}
