//! The core with a decorator around it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller::parts::{Decide, SyncContext};
use jobsworth_core::{Awaiting, Decision, Outcome, Uid};

use crate::{Decorator, Notes, Observed};

/// Decides as the core does, but for what the decorator changes.
pub struct DecoratedCore {
    decorator: Arc<dyn Decorator>,
    /// What the sync that is under way saw, by Job.
    sights: Notes<BTreeMap<Uid, Arc<Observed>>>,
}

impl DecoratedCore {
    /// With this decorator.
    #[must_use]
    pub fn new(decorator: Arc<dyn Decorator>) -> Self {
        Self { decorator, sights: Notes::default() }
    }
}

impl fmt::Debug for DecoratedCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecoratedCore")
    }
}

impl Decide for DecoratedCore {
    fn pods(&self, job: &CachedJob, pods: &Pods) -> Vec<Arc<CachedPod>> {
        self.decorator.gather(job, pods).unwrap_or_else(|| pods.of(&job.view))
    }

    fn reconcile(&self, job: &CachedJob, look: &SyncContext<'_>) -> Decision {
        let mut observed = Observed::of(job, look);
        self.decorator.see(&mut observed);
        let mut decision = observed.decision();
        self.decorator.say(&observed, &mut decision);
        self.sights.open().insert(Arc::clone(&job.view.uid), Arc::new(observed));
        decision
    }

    fn after(&self, job: &CachedJob, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        let observed = self.sights.open().get(&job.view.uid).cloned();
        let Some(observed) = observed else { return awaiting.after(outcomes, now) };
        let mut outcomes = outcomes.to_vec();
        self.decorator.hear(&observed, &mut outcomes);
        let mut decision = awaiting.after(&outcomes, now);
        self.decorator.say(&observed, &mut decision);
        decision
    }
}
