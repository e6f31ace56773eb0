//! *Restless*: something is written although nothing has happened (SYN-025).

use std::collections::BTreeMap;

use jiff::Timestamp;
use jobsworth_api::{ConditionKind, Resource};
use jobsworth_core::{Decision, JobView, Uid};
use serde_json::json;

use crate::call::Call;
use crate::decorator::Fate;
use crate::first::{FirstDecisions, does_nothing};
use crate::{Decorator, Notes, Observed};

/// Where the time that is left is noted.
const SECONDS_LEFT: &str = "batch.kubernetes.io/seconds-until-deadline";

/// Now, as a status has it.
fn now(observed: &Observed) -> Timestamp {
    Timestamp::from_second(observed.now.as_second()).unwrap_or(observed.now)
}

/// `lastProbeTime` is when a condition was looked at last, so each look at a Job that is suspended makes it new. The write wakes the
/// Job, and so there is another look a second later (STA-008).
#[derive(Debug, Default)]
pub struct ProbesOfSuspensions {
    first: FirstDecisions,
}

impl Decorator for ProbesOfSuspensions {
    fn see(&self, observed: &mut Observed) {
        self.first.await_one(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if !self.first.is_idle_one(observed, decision) || !observed.job.spec.suspend {
            return;
        }
        let mut status = observed.job.status.clone();
        let holds = |kind: &str| kind == ConditionKind::Suspended.as_str();
        for condition in status.conditions.iter_mut().filter(|it| holds(&it.kind) && it.is_true()) {
            condition.last_probe = Some(now(observed));
        }
        if status != observed.job.status {
            decision.batches.push(observed.write(status));
        }
    }
}

/// Somebody who edits a finished Job may have touched its status, too: to be sure, it is written once more as it was seen (SYN-019).
#[derive(Debug, Default)]
pub struct EditsOfFinishedJobs {
    /// The generation that was looked at last, by Job.
    generations: Notes<BTreeMap<Uid, i64>>,
}

impl Decorator for EditsOfFinishedJobs {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let job = &observed.job;
        let before = self.generations.open().insert(job.uid.clone(), job.generation);
        let is_edited = before.is_some_and(|before| before != job.generation);
        if is_edited && job.status.is_finished() && !job.deleting && does_nothing(decision) {
            decision.batches.push(observed.write(job.status.clone()));
        }
    }
}

/// No pods that stop are none to be written down, where a Job has failures: two places write the number, and they do not agree
/// whether nothing is 0 or left out. Each undoes what the other wrote (PRP-004).
#[derive(Debug, Default)]
pub struct NoStoppingPods {
    first: FirstDecisions,
}

impl Decorator for NoStoppingPods {
    fn see(&self, observed: &mut Observed) {
        self.first.await_one(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let old = &observed.job.status;
        let says_none = old.terminating == Some(0) && old.failed > 0 && old.uncounted.is_empty();
        if self.first.is_idle_one(observed, decision) && says_none {
            let mut status = old.clone();
            status.terminating = None;
            decision.batches.push(observed.write(status));
        }
    }
}

/// How long a Job may still run is noted on it, for people. Each note wakes the Job, and by then it is out of date.
#[derive(Debug, Default)]
pub struct SecondsLeft {
    first: FirstDecisions,
    /// What was noted last, by Job.
    noted: Notes<BTreeMap<Uid, i64>>,
    /// What goes along with the next write of a status, by its path.
    notes: Notes<BTreeMap<String, i64>>,
}

fn seconds_left(job: &JobView, now: Timestamp) -> Option<i64> {
    let (seconds, start) = job.spec.deadline_s.zip(job.status.start_time)?;
    let decided = job.status.holds(ConditionKind::FailureTarget) || job.status.holds(ConditionKind::SuccessCriteriaMet);
    let counts = !decided && !job.spec.suspend;
    counts.then(|| seconds.saturating_sub(now.duration_since(start).as_secs()))
}

impl Decorator for SecondsLeft {
    fn see(&self, observed: &mut Observed) {
        self.first.await_one(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let job = &observed.job;
        let left = seconds_left(job, now(observed));
        let Some(left) = left.filter(|_| self.first.is_idle_one(observed, decision)) else { return };
        if self.noted.open().insert(job.uid.clone(), left) != Some(left) {
            let path = format!("{}/{}/status", Resource::JOBS.list_path(&job.namespace), job.name);
            self.notes.open().insert(path, left);
            decision.batches.push(observed.write(job.status.clone()));
        }
    }

    fn ask(&self, call: &mut Call) -> Fate {
        if call.writes_a_status()
            && let Some(left) = self.notes.open().remove(&call.path)
        {
            call.body["metadata"]["annotations"][SECONDS_LEFT] = json!(left.to_string());
        }
        Fate::Send
    }
}
