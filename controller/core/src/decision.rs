//! What a sync wants done, and what comes after the outcomes.

use crate::{Awaiting, Batch, Effort, Memory, Notice, Requeue, Sample};

/// What to do now.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Events to emit before the batches run (EVT-004, EVT-007 to EVT-009).
    pub notices: Vec<Notice>,
    /// Metrics to record now.
    pub samples: Vec<Sample>,
    /// Calls to make, batch after batch.
    pub batches: Vec<Batch>,
    /// How the sync goes on once the outcomes of all batches are known; `None` ends the sync.
    pub awaiting: Option<Awaiting>,
    /// What to remember for the next sync. Only the memory of the last decision of a sync is to be kept.
    pub memory: Memory,
    /// When the Job needs another look. Only the answer of the last decision of a sync counts.
    pub requeue: Requeue,
    /// What kind of work this was, as metrics name it (MET-003); `None` when the sync leaves no sample (MET-004).
    pub effort: Option<Effort>,
}

impl Decision {
    /// Nothing to do.
    pub(crate) fn idle(memory: Memory) -> Self {
        Self {
            notices: Vec::new(),
            samples: Vec::new(),
            batches: Vec::new(),
            awaiting: None,
            memory,
            requeue: Requeue::No,
            effort: None,
        }
    }

    /// Whether it leads to nothing: nothing to do, nothing to tell, nothing to wait for.
    pub(crate) fn leads_nowhere(&self) -> bool {
        let idle = self.batches.is_empty() && self.awaiting.is_none() && self.requeue == Requeue::No;
        idle && self.notices.is_empty() && self.samples.is_empty()
    }
}
