//! *Indexes*: an index is read, written or given out otherwise than it should be.

use std::collections::BTreeMap;
use std::sync::Arc;

use jobsworth_api::well_known::COMPLETION_INDEX;
use jobsworth_api::{IndexSet, Resource};
use jobsworth_core::pod::Phase;
use jobsworth_core::{Action, Decision, Outcome, Uid, Why};
use serde_json::Value;

use crate::call::Call;
use crate::decorator::Fate;
use crate::withheld::Withheld;
use crate::{Decorator, Notes, Observed};

/// The index of a pod is in its label, as it is easier to select by (IDX-001, IDX-013).
pub fn label_for_annotation(pod: &mut Value) {
    let label = pod["metadata"]["labels"][COMPLETION_INDEX].clone();
    if label.is_string() && pod["metadata"].is_object() {
        pod["metadata"]["annotations"][COMPLETION_INDEX] = label;
    }
}

/// An index is read up to the first character that is no digit (IDX-013).
pub fn leading_digits(pod: &mut Value) {
    let annotations = pod.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    let Some(index) = annotations.and_then(|annotations| annotations.get_mut(COMPLETION_INDEX)) else { return };
    let digits: String = index.as_str().unwrap_or_default().trim().chars().take_while(char::is_ascii_digit).collect();
    if !digits.is_empty() {
        *index = digits.into();
    }
}

/// Ranges are for four indexes and more: three are written one by one (IDX-014).
#[derive(Debug, Default)]
pub struct ThreeInARow;

impl ThreeInARow {
    fn rewrite(job: &mut Value, written: impl FnOnce(&IndexSet) -> String) {
        if let Some(text) = job.pointer_mut("/status/completedIndexes")
            && let Ok(indexes) = text.as_str().unwrap_or_default().parse::<IndexSet>()
        {
            *text = written(&indexes).into();
        }
    }
}

impl Decorator for ThreeInARow {
    fn ask(&self, call: &mut Call) -> Fate {
        if call.writes_a_status() {
            let range = |(first, last): (u32, u32)| match last - first {
                0..=2 => (first..=last).map(|index| index.to_string()).collect::<Vec<_>>().join(","),
                _ => format!("{first}-{last}"),
            };
            Self::rewrite(&mut call.body, |indexes| indexes.ranges().map(range).collect::<Vec<_>>().join(","));
        }
        Fate::Send
    }

    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        // To itself its own form is the usual one.
        if call.reads_all(&Resource::JOBS) {
            Self::rewrite(object, IndexSet::to_text);
        }
    }
}

/// Pods of indexes that are not wanted any more go on until they end (IDX-013, IDX-022).
#[derive(Debug, Default)]
pub struct DroppedIndexes {
    withheld: Withheld,
}

impl Decorator for DroppedIndexes {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let has_an_index = |uid: &Uid| observed.pod(uid).is_some_and(|pod| pod.index.is_some());
        self.withheld.leave_out(observed, decision, |action| match action {
            Action::StripAndDelete { uid, why: Why::InvalidIndex, .. } => has_an_index(uid),
            _ => false,
        });
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        self.withheld.put_back(observed, outcomes);
    }
}

/// An index that was completed, was dropped and comes back is completed (IDX-023).
#[derive(Debug, Default)]
pub struct ReturningIndexes {
    completed: Notes<BTreeMap<Uid, IndexSet>>,
}

impl Decorator for ReturningIndexes {
    fn see(&self, observed: &mut Observed) {
        let Some(below) = observed.job.spec.indexes_below() else { return };
        let mut completed = self.completed.open();
        let all = completed.entry(observed.job.uid.clone()).or_default();
        *all = all.union(&observed.job.status.completed);
        observed.job.status.completed = Arc::new(all.clipped(below));
    }
}

/// Indexes that were never tried come first, those that failed before come last (IDX-008, IDX-011).
pub fn failed_indexes_last(observed: &Observed, decision: &mut Decision) {
    let tried: IndexSet =
        observed.pods.iter().filter(|pod| pod.phase == Phase::Failed).filter_map(|pod| pod.index).collect();
    let (last, first): (Vec<u32>, Vec<u32>) = pending(observed).into_iter().partition(|index| tried.contains(*index));
    give_out(first.into_iter().chain(last), decision);
}

/// All indexes that need a pod, in their order; none where each has a limit of its own.
fn pending(observed: &Observed) -> Vec<u32> {
    let spec = &observed.job.spec;
    let below = spec.indexes_below().filter(|_| spec.backoff_limit_per_index.is_none()).unwrap_or_default();
    let careful = spec.replaces_only_failed || spec.failure_policy.is_some();
    let pods = observed.pods.iter();
    let has_it =
        pods.filter(|pod| pod.phase == Phase::Succeeded || pod.is_active() || (careful && pod.is_terminating()));
    let has_it: IndexSet = has_it.filter_map(|pod| pod.index).collect();
    let taken = observed.job.status.completed.union(&has_it);
    taken.missing(below, usize::try_from(below).unwrap_or(usize::MAX))
}

/// Gives indexes to the pods that are made, in this order.
fn give_out(mut order: impl Iterator<Item = u32>, decision: &mut Decision) {
    for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
        if let Action::CreatePod(pod) = action
            && let Some(index) = order.next()
        {
            pod.index = Some(index);
        }
    }
}

/// Of two pods with one index both go, and a third one comes (IDX-012).
pub fn both_of_two(observed: &Observed, decision: &mut Decision) {
    for batch in &mut decision.batches {
        let victims: Vec<Uid> = batch.actions.iter().filter_map(duplicate).cloned().collect();
        let taken: IndexSet = victims.iter().filter_map(|uid| observed.pod(uid)?.index).collect();
        let twins = observed.pods.iter().filter(|pod| {
            pod.is_active() && pod.index.is_some_and(|index| taken.contains(index)) && !victims.contains(&pod.uid)
        });
        batch.actions.extend(twins.map(|pod| {
            let (uid, name) = (pod.uid.clone(), pod.name.clone());
            Action::StripAndDelete { uid, name, tracked: pod.tracked, why: Why::Duplicate }
        }));
    }
}

fn duplicate(action: &Action) -> Option<&Uid> {
    match action {
        Action::StripAndDelete { uid, why: Why::Duplicate, .. } => Some(uid),
        _ => None,
    }
}

/// Indexes are sorted as texts: 10 comes before 2 (IDX-008).
pub fn indexes_as_texts(observed: &Observed, decision: &mut Decision) {
    let mut order = pending(observed);
    order.sort_by_key(ToString::to_string);
    give_out(order.into_iter(), decision);
}

/// An index that failed for good, was dropped and comes back is a failed one (IDX-023).
#[derive(Debug, Default)]
pub struct ReturningFailures {
    failed: Notes<BTreeMap<Uid, IndexSet>>,
}

impl Decorator for ReturningFailures {
    fn see(&self, observed: &mut Observed) {
        let spec = &observed.job.spec;
        let Some(below) = spec.indexes_below().filter(|_| spec.backoff_limit_per_index.is_some()) else { return };
        let status = &mut observed.job.status;
        let mut failed = self.failed.open();
        let all = failed.entry(observed.job.uid.clone()).or_default();
        if let Some(now) = &mut status.failed_indexes {
            *all = all.union(now);
            *now = Arc::new(all.clipped(below).minus(&status.completed));
        }
    }
}

/// How many completions a Job has is read when it is first seen; it may fall, and does not rise (IDX-021).
#[derive(Debug, Default)]
pub struct LaterCompletions {
    first: Notes<BTreeMap<Uid, u32>>,
}

impl Decorator for LaterCompletions {
    fn see(&self, observed: &mut Observed) {
        let Some(completions) = observed.job.spec.indexes_below() else { return };
        let first = *self.first.open().entry(observed.job.uid.clone()).or_insert(completions);
        observed.spec().completions = Some(completions.min(first));
    }
}
