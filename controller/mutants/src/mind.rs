//! The core with a decorator around it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller::parts::{Decide, Look};
use jobsworth_core::{Decision, Outcome, Rest, Uid};

use crate::{Decorator, Notes, Sight};

/// Decides as the core does, but for what the decorator changes.
pub struct Mind {
    decorator: Arc<dyn Decorator>,
    /// What the sync that is under way saw, by Job.
    sights: Notes<BTreeMap<Uid, Arc<Sight>>>,
}

impl Mind {
    /// With this decorator.
    #[must_use]
    pub fn new(decorator: Arc<dyn Decorator>) -> Self {
        Self { decorator, sights: Notes::default() }
    }
}

impl fmt::Debug for Mind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mind")
    }
}

impl Decide for Mind {
    fn pods(&self, job: &CachedJob, pods: &Pods) -> Vec<Arc<CachedPod>> {
        self.decorator.gather(job, pods).unwrap_or_else(|| pods.of(&job.view))
    }

    fn reconcile(&self, job: &CachedJob, look: &Look<'_>) -> Decision {
        let mut sight = Sight::of(job, look);
        self.decorator.see(&mut sight);
        let mut decision = sight.decision();
        self.decorator.say(&sight, &mut decision);
        self.sights.open().insert(Arc::clone(&job.view.uid), Arc::new(sight));
        decision
    }

    fn after(&self, job: &CachedJob, rest: Rest, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        let sight = self.sights.open().get(&job.view.uid).cloned();
        let Some(sight) = sight else { return rest.after(outcomes, now) };
        let mut outcomes = outcomes.to_vec();
        self.decorator.hear(&sight, &mut outcomes);
        let mut decision = rest.after(&outcomes, now);
        self.decorator.say(&sight, &mut decision);
        decision
    }
}
