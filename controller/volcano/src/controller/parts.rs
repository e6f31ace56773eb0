//! What the controller is put together from, where it could be something else: who decides, what carries requests.
//!
//! The defaults are the controller. Another decider or transport is for tests that put a controller with a known bug, or one
//! behind a bad network, before the suite.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller_runtime::client::Transport;
use jobsworth_volcano_api::Job;
use jobsworth_volcano_core::{Awaiting, Decision, Limits, Memory, Outcome, Snapshot, sync};

/// Who decides what a sync does.
pub trait Decide: fmt::Debug + Send + Sync {
    /// The first decision of a sync.
    fn sync(&self, seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, limits: &Limits) -> Decision;

    /// The decision that follows, once the outcomes of the calls are known.
    fn after(&self, job: &Job, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision;
}

/// Decides as `jobsworth-volcano-core` says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Core;

impl Decide for Core {
    fn sync(&self, seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, limits: &Limits) -> Decision {
        sync(seen, memory, now, limits)
    }

    fn after(&self, _job: &Job, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        awaiting.after(outcomes, now)
    }
}

/// What the controller is put together from.
#[derive(Clone)]
pub struct Parts {
    /// Who decides.
    pub decide: Arc<dyn Decide>,
    /// What carries requests.
    pub transport: Transport,
}

impl Default for Parts {
    fn default() -> Self {
        Self { decide: Arc::new(Core), transport: Arc::new(|client| client) }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("decide", &self.decide).finish_non_exhaustive()
    }
}
