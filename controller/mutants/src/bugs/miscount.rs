//! *Miscount*: a number or text in what is written is not what it should be.

use std::collections::BTreeMap;
use std::sync::Arc;

use jobsworth_api::well_known::COMPLETION_INDEX;
use jobsworth_api::{ConditionKind, IndexSet, Resource};
use jobsworth_core::pod::Phase;
use jobsworth_core::{Action, Decision, Requeue, Uid};
use serde_json::Value;

use crate::call::Call;
use crate::decorator::Fate;
use crate::observed::each_status;
use crate::{Decorator, Notes, Observed};

/// How long the name of a pod may be before its random characters.
const LONGEST_PREFIX: usize = 58;
/// How many of those there are.
const RANDOM_CHARS: usize = 5;
/// What events about creations say before the name.
const CREATED: &str = "Created pod: ";

/// Counts ended pods at once, without the ledger.
pub fn without_a_ledger(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let listed = std::mem::take(&mut new.status.uncounted);
        new.status.succeeded += u32::try_from(listed.succeeded.len()).unwrap_or(u32::MAX);
        new.status.failed += u32::try_from(listed.failed.len()).unwrap_or(u32::MAX);
    });
}

/// A pod that is recorded as failed and then succeeds is recorded as succeeded too.
pub fn in_both_lists(observed: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let failed = &observed.job.status.uncounted.failed;
        let both = observed.pods.iter().filter(|pod| pod.phase == Phase::Succeeded && failed.contains(&pod.uid));
        new.status.uncounted.succeeded.extend(both.map(|pod| pod.uid.clone()));
    });
}

/// After a failure the Job counts as idle, while pods of it are ready.
pub fn idle_in_backoff(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let status = &mut new.status;
        if status.failed as usize + status.uncounted.failed.len() > 0 && !status.is_finished() {
            status.active = 0;
        }
    });
}

/// A Job that is resumed starts when it was created.
pub fn start_of_a_resumed_job(observed: &Observed, decision: &mut Decision) {
    let resumed = observed.job.status.holds(ConditionKind::Suspended) && !observed.job.spec.suspend;
    each_status(decision, |new| {
        if resumed {
            new.status.start_time = Some(observed.job.created);
        }
    });
}

/// Counts failed syncs towards the backoff limit.
#[derive(Debug, Default)]
pub struct FailedSyncs {
    counts: Notes<BTreeMap<Uid, u32>>,
}

impl FailedSyncs {
    fn of(&self, observed: &Observed) -> u32 {
        let count = self.counts.open().get(&observed.job.uid).copied().unwrap_or(0);
        if count > observed.job.spec.backoff_limit { count } else { 0 }
    }
}

impl Decorator for FailedSyncs {
    fn see(&self, observed: &mut Observed) {
        observed.job.status.failed += self.of(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let extra = self.of(observed);
        each_status(decision, |new| new.status.failed = new.status.failed.saturating_sub(extra));
        if decision.awaiting.is_none() && matches!(decision.requeue, Requeue::Failed | Requeue::Refused(_)) {
            *self.counts.open().entry(observed.job.uid.clone()).or_default() += 1;
        }
    }
}

/// Counts the pods that succeeded, not their indexes.
pub fn pods_for_indexes(observed: &Observed, decision: &mut Decision) {
    let succeeded = observed.pods.iter().filter(|pod| pod.phase == Phase::Succeeded).count();
    each_status(decision, |new| {
        if observed.job.spec.is_indexed() {
            new.status.succeeded = u32::try_from(succeeded).unwrap_or(u32::MAX);
        }
    });
}

/// Completed indexes stay when they are out of range.
#[derive(Debug, Default)]
pub struct IndexesOutOfRange {
    completed: Notes<BTreeMap<Uid, IndexSet>>,
}

impl Decorator for IndexesOutOfRange {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        each_status(decision, |new| {
            let mut completed = self.completed.open();
            let all = completed.entry(observed.job.uid.clone()).or_default();
            *all = all.union(&new.status.completed);
            if observed.job.spec.is_indexed() {
                new.status.succeeded = u32::try_from(all.len()).unwrap_or(u32::MAX);
                new.status.completed = Arc::new(all.clone());
            }
        });
    }
}

/// Writes two neighbouring indexes as a range.
pub fn pairs_as_ranges(call: &mut Call) -> Fate {
    if call.writes_a_status()
        && let Some(text) = call.body.pointer_mut("/status/completedIndexes")
        && let Ok(indexes) = text.as_str().unwrap_or_default().parse::<IndexSet>()
    {
        let range = |(first, last): (u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        *text = indexes.ranges().map(range).collect::<Vec<_>>().join(",").into();
    }
    Fate::Send
}

/// Pods that a sync stops are terminating only for the syncs after it (PRP-003).
#[derive(Debug, Default)]
pub struct PodsJustStopped {
    /// How many the sync that is under way has stopped, by Job.
    stopped: Notes<BTreeMap<Uid, u32>>,
}

impl Decorator for PodsJustStopped {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let mut stopped = self.stopped.open();
        let before = stopped.remove(&observed.job.uid).unwrap_or_default();
        each_status(decision, |new| {
            new.status.terminating = new.status.terminating.map(|all| all.saturating_sub(before));
        });
        if decision.awaiting.is_some() {
            let actions = decision.batches.iter().flat_map(|batch| &batch.actions);
            let stops = |action: &&Action| matches!(action, Action::StripAndDelete { .. } | Action::DeletePod { .. });
            let now = u32::try_from(actions.filter(stops).count()).unwrap_or(u32::MAX);
            stopped.insert(observed.job.uid.clone(), before.saturating_add(now));
        }
    }
}

/// Pods have other names than Job and index make (IDX-006, PAR-015).
#[derive(Debug)]
pub struct Names {
    /// The name up to its random characters, from Job and index. What is too long of it is cut off at its end.
    prefix: fn(&str, &str) -> String,
    /// What stands for the index of a pod that has none; without it such a pod keeps its name.
    no_index: Option<&'static str>,
    /// Which name a pod got instead of which: events are to tell the one that it has.
    renamed: Notes<BTreeMap<String, String>>,
}

impl Names {
    /// Names of pods with an index that begin like this.
    #[must_use]
    pub fn with(prefix: fn(&str, &str) -> String) -> Self {
        Self { prefix, no_index: None, renamed: Notes::default() }
    }

    /// Names of all pods that begin like this, with something that stands for no index.
    #[must_use]
    pub fn of_all(prefix: fn(&str, &str) -> String, no_index: &'static str) -> Self {
        Self { no_index: Some(no_index), ..Self::with(prefix) }
    }

    fn rename(&self, pod: &mut Value) -> Option<()> {
        let metadata = pod.get_mut("metadata")?;
        let index = metadata["annotations"][COMPLETION_INDEX].as_str().or(self.no_index)?;
        let job = metadata["ownerReferences"][0]["name"].as_str()?;
        let prefix = (self.prefix)(job, index);
        let old = metadata["name"].as_str()?.to_owned();
        let random = old.get(old.len().checked_sub(RANDOM_CHARS)?..)?;
        let new = prefix.chars().take(LONGEST_PREFIX).collect::<String>() + random;
        metadata["name"] = new.clone().into();
        metadata["generateName"] = prefix.into();
        self.renamed.open().insert(old, new);
        Some(())
    }
}

impl Decorator for Names {
    fn ask(&self, call: &mut Call) -> Fate {
        if call.creates_a_pod() {
            self.rename(&mut call.body);
        } else if call.creates(&Resource::EVENTS) {
            let note = call.body["note"].as_str().unwrap_or_default();
            let new = note.strip_prefix(CREATED).and_then(|old| self.renamed.open().get(old).cloned());
            if let Some(new) = new {
                call.body["note"] = format!("{CREATED}{new}").into();
            }
        }
        Fate::Send
    }
}

/// The whole prefix is cut, not the Job's name in it: of a long one the index is lost.
pub fn index_behind_a_long_name(job: &str, index: &str) -> String {
    format!("{job}-{index}-")
}

/// Index 0 is taken for no index.
pub fn no_index_zero(job: &str, index: &str) -> String {
    if index == "0" { cut_before(job, "-") } else { index_in_every_name(job, index) }
}

/// Names are made from Job and index, whether there is an index or not (PAR-015).
pub fn index_in_every_name(job: &str, index: &str) -> String {
    cut_before(job, &format!("-{index}-"))
}

/// As much of the Job's name as there is room for before this.
fn cut_before(job: &str, tail: &str) -> String {
    let room = LONGEST_PREFIX.saturating_sub(tail.len());
    job.chars().take(room).collect::<String>() + tail
}
