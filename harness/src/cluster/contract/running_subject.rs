//! The controller under test as it runs in a cluster, and what can be done to it.

use super::{ClusterError, Instances};
use crate::wire::Wire;
use async_trait::async_trait;
use std::sync::Arc;

/// A subject that runs.
#[async_trait]
pub trait RunningSubject: Send + Sync {
    /// Kills it with -9 and returns when it is gone.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn crash(&self) -> Result<(), ClusterError>;

    /// Starts it again with the same flags, killing it first if it still runs; returns when ready.
    ///
    /// # Errors
    /// When it does not come up again.
    async fn restart(&self) -> Result<(), ClusterError>;

    /// Stops it in its tracks; it knows nothing of the time that passes.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn pause(&self) -> Result<(), ClusterError>;

    /// Lets it go on after [`pause`](Self::pause).
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn resume(&self) -> Result<(), ClusterError>;

    /// The text of its `/metrics`.
    ///
    /// # Errors
    /// When it does not answer.
    async fn metrics(&self) -> Result<String, ClusterError>;

    /// What passes between it and the API server, where that can be seen.
    fn wire(&self) -> Option<Arc<Wire>> {
        None
    }

    /// Its instances, where there are several of which one leads.
    fn instances(&self) -> Option<Arc<dyn Instances>> {
        None
    }

    /// Ends it in order, for good.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn stop(&self) -> Result<(), ClusterError>;
}
