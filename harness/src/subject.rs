//! The controller under test: how the cluster must be for it, and what can be done to it while it runs.

pub mod beside;
pub mod built_in;
pub mod checkout;
pub mod reference;

use async_trait::async_trait;

use crate::cluster::{Cluster, ClusterError, ClusterSpec, RunningSubject};

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
