//! *Retries*: how often a job was restarted, and how often it may be.

use std::collections::BTreeSet;

use jobsworth_volcano_api::well_known::DEFAULT_MAX_RETRY;
use jobsworth_volcano_core::{Decision, Phase};

use crate::Notes;
use crate::volcano::{Bug, Look, edit};

/// Takes `maxRetry` for the number of restarts, not for that of runs (VJ-186): it is what the name says.
pub fn as_many_restarts_as_runs(look: &mut Look) {
    let spec = &mut look.job_mut().spec;
    let runs = if spec.max_retry == 0 { DEFAULT_MAX_RETRY } else { spec.max_retry };
    spec.max_retry = runs.saturating_add(1);
}

/// Counts anew once the job runs (VJ-109): a backoff is forgotten after a success elsewhere, too. A job that fails a while
/// after it has started is restarted for ever.
pub fn counted_from_the_last_run(look: &Look, decision: &mut Decision) {
    let ran = look.phase() == Phase::Running;
    edit::each_status(decision, |status| {
        if status.state.phase == Some(Phase::Running) && !ran {
            status.retry_count = 0;
        }
    });
}

/// Does not count a restart that had to wait for its time (VJ-175, VJ-322): the delayed action has a path of its own to the
/// pods, and the counter is on the other one.
#[derive(Debug, Default)]
pub struct DelayedRestarts {
    /// UID of a job, and the action that it was told to expect.
    expected: Notes<BTreeSet<(String, String)>>,
}

impl Bug for DelayedRestarts {
    fn say(&self, look: &Look, decision: &mut Decision) {
        let (uid, old, phase) = (look.uid(), look.status(), look.phase());
        let mut expected = self.expected.open();
        for notice in &decision.notices {
            let told = notice.message.strip_prefix("Execute action ").and_then(|rest| rest.split_once(" after "));
            expected.extend(told.map(|(action, _)| (uid.clone(), action.to_owned())));
        }
        edit::each_status(decision, |status| {
            let begins = status.state.phase == Some(Phase::Restarting) && phase != Phase::Restarting;
            if begins && expected.remove(&(uid.clone(), status.state.reason.clone())) {
                status.retry_count = old.retry_count;
            }
        });
    }
}
