//! What a sync wants done, and what comes after the outcomes.

use crate::{Awaiting, Batch, Memory, Notice, Requeue};

/// What to do now.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Events to emit before the batches run.
    pub notices: Vec<Notice>,
    /// Calls to make, batch after batch.
    pub batches: Vec<Batch>,
    /// How the sync goes on once the outcomes of all batches are known; `None` ends the sync.
    pub awaiting: Option<Awaiting>,
    /// What to remember for the next sync. Only the memory of the last decision of a sync is to be kept.
    pub memory: Memory,
    /// When the job needs another look. Only the answer of the last decision of a sync counts.
    pub requeue: Requeue,
    /// How many of the snapshot's requests, from the first on, are done with. Only the last decision's counts.
    pub consumed: usize,
}

impl Decision {
    /// Nothing to do.
    pub(crate) const fn idle(memory: Memory, consumed: usize) -> Self {
        Self { notices: Vec::new(), batches: Vec::new(), awaiting: None, memory, requeue: Requeue::No, consumed }
    }
}
