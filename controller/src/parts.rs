//! What the program is put together from, where it could be something else: who decides, what carries requests, how long
//! they may take.
//!
//! The defaults are the controller. Another decider or transport is for tests that put a controller with a known bug, or one
//! behind a bad network, before the suite.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller_runtime::client::Deadlines;
pub use jobsworth_controller_runtime::client::Transport;
use jobsworth_core::{Awaiting, Decision, Gates, Limits, Memory, Outcome, Snapshot, reconcile};

use crate::cache::{CachedJob, CachedPod, Pods};

/// Who decides what a sync does.
pub trait Decide: fmt::Debug + Send + Sync {
    /// The pods that a sync looks at.
    fn pods(&self, job: &CachedJob, pods: &Pods) -> Vec<Arc<CachedPod>>;

    /// The first decision of a sync.
    fn reconcile(&self, job: &CachedJob, look: &SyncContext<'_>) -> Decision;

    /// The decision that follows, once the outcomes of the calls are known.
    fn after(&self, job: &CachedJob, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision;
}

/// Everything that the first decision of a sync depends on.
#[derive(Clone, Copy, Debug)]
pub struct SyncContext<'a> {
    /// The Job and its pods.
    pub seen: Snapshot<'a>,
    /// What is remembered of it.
    pub memory: &'a Memory,
    /// The time.
    pub now: Timestamp,
    /// Which features are on.
    pub gates: &'a Gates,
    /// How much one sync may do.
    pub limits: &'a Limits,
}

/// Decides as `jobsworth-core` says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Core;

impl Decide for Core {
    fn pods(&self, job: &CachedJob, pods: &Pods) -> Vec<Arc<CachedPod>> {
        pods.of(&job.view)
    }

    fn reconcile(&self, _job: &CachedJob, look: &SyncContext<'_>) -> Decision {
        reconcile(&look.seen, look.memory, look.now, look.gates, look.limits)
    }

    fn after(&self, _job: &CachedJob, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        awaiting.after(outcomes, now)
    }
}

/// What the program is put together from.
#[derive(Clone)]
pub struct Parts {
    /// Who decides.
    pub decide: Arc<dyn Decide>,
    /// What carries requests.
    pub transport: Transport,
    /// How long requests may take.
    pub deadlines: Deadlines,
}

impl Default for Parts {
    fn default() -> Self {
        Self { decide: Arc::new(Core), transport: Arc::new(|client| client), deadlines: Deadlines::default() }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("decide", &self.decide)
            .field("deadlines", &self.deadlines)
            .finish_non_exhaustive()
    }
}
