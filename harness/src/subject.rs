//! The controller under test: how the cluster must be for it, and what can be done to it while it runs.

pub mod beside;
pub mod built_in;
pub mod checkout;
pub mod reference;

use async_trait::async_trait;

use crate::cluster::{Cluster, ClusterError, ClusterSpec};

pub use beside::Beside;
pub use built_in::BuiltIn;
pub use jobsworth_oracle::Ownership;
pub use reference::Reference;

/// All subjects that can be named; the first one is what is meant without a name.
pub static ALL: [&dyn SubjectController; 3] = [&BuiltIn, &Reference, &Beside];

/// The subject of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn SubjectController> {
    ALL.into_iter().find(|subject| subject.name() == name)
}

/// The names of all, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(SubjectController::name)
}

/// A system under test.
#[async_trait]
pub trait SubjectController: Send + Sync {
    /// The name that plans and reports use.
    fn name(&self) -> &'static str;

    /// Which Jobs are its own.
    fn ownership(&self) -> Ownership;

    /// The cluster as this subject needs it.
    fn prepare(&self, spec: ClusterSpec) -> ClusterSpec;

    /// Starts it, or takes over the one that already runs there, and returns when it is ready.
    ///
    /// # Errors
    /// When it does not come up.
    async fn start(&self, cluster: &dyn Cluster) -> Result<Box<dyn RunningSubject>, ClusterError>;
}

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

    /// Ends it in order, for good.
    ///
    /// # Errors
    /// When it cannot be reached.
    async fn stop(&self) -> Result<(), ClusterError>;
}
