//! *Sizes*: too many pods, too few, or the wrong ones.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jobsworth_api::{ConditionKind, IndexSet};
use jobsworth_core::pod::{FailureCounts, Phase};
use jobsworth_core::{Action, Batch, CreatePod, Decision, PodView, Status, Uid};

use crate::observed::statuses;
use crate::{Decorator, Notes, Observed};

/// Of ready pods those go first that are ready for the longest time: the sort is the wrong way round there (PAR-010).
pub fn ready_for_long(observed: &mut Observed) {
    for pod in &mut observed.pods {
        let turned_round = |since: Timestamp| Timestamp::from_second(-since.as_second()).ok();
        pod.ready_since = pod.ready_since.and_then(turned_round);
    }
}

/// How many pods may be made is found out with the pods that still stop, and which indexes they get without (PRP-005).
pub fn indexes_of_stopping_pods(observed: &Observed, decision: &mut Decision) {
    let spec = &observed.job.spec;
    if !spec.replaces_only_failed && spec.failure_policy.is_none() {
        return;
    }
    let below = spec.indexes_below().unwrap_or_default();
    let indexes = |is_so: fn(&PodView) -> bool| -> IndexSet {
        observed
            .pods
            .iter()
            .filter(|pod| is_so(pod))
            .filter_map(|pod| pod.index)
            .filter(|index| *index < below)
            .collect()
    };
    let stopping = indexes(PodView::is_terminating).minus(&indexes(PodView::is_active));
    let stopping = stopping.minus(&observed.job.status.completed);
    for batch in &mut decision.batches {
        let mut births: Vec<&mut CreatePod> = batch.actions.iter_mut().filter_map(birth).collect();
        let chosen: IndexSet = births.iter().filter_map(|pod| pod.index).collect();
        for (pod, index) in births.iter_mut().zip(chosen.union(&stopping).iter()) {
            if stopping.contains(index) {
                pod.failures = pod.failures.map(|_| FailureCounts::default());
            }
            pod.index = pod.index.map(|_| index);
        }
    }
}

fn birth(action: &mut Action) -> Option<&mut CreatePod> {
    match action {
        Action::CreatePod(pod) => Some(pod),
        _ => None,
    }
}

/// There is one way to replace pods: the careful one (PRP-001).
pub fn terminating_or_failed(observed: &mut Observed) {
    observed.spec().replaces_only_failed = true;
}

/// Pods that succeeded are taken off the completions once they are in the counter, and not before: the pod that ends last
/// gets a successor that has nothing to do (PAR-001, PAR-005).
pub fn new_successes(observed: &mut Observed) {
    let new = u32::try_from(observed.just_ended(Phase::Succeeded).count()).unwrap_or(u32::MAX);
    if !observed.job.spec.is_indexed() {
        let spec = observed.spec();
        spec.completions = spec.completions.map(|completions| completions.saturating_add(new));
    }
}

/// A work queue goes on like any other Job after its first success: what fails is replaced (PAR-002, PAR-003).
#[derive(Debug, Default)]
pub struct FailuresInADrainedQueue {
    replaced: Notes<BTreeSet<Uid>>,
}

impl Decorator for FailuresInADrainedQueue {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let (job, spec, status) = (&observed.job, &observed.job.spec, &observed.job.status);
        let drains = spec.completions.is_none() && (status.succeeded > 0 || !status.uncounted.succeeded.is_empty());
        if decision.awaiting.is_some() || spec.suspend || job.deleting || !drains {
            return;
        }
        let decided = status.conditions.iter().any(|condition| condition.is_true());
        let active = observed.pods.iter().filter(|pod| pod.is_active()).count();
        let mut replaced = self.replaced.open();
        let failed = observed.pods.iter().filter(|pod| pod.phase == Phase::Failed);
        let new = failed.filter(|pod| replaced.insert(pod.uid.clone())).count();
        let room = usize::try_from(spec.parallelism).unwrap_or(usize::MAX).saturating_sub(active);
        if decided || active == 0 || new.min(room) == 0 {
            return;
        }
        let reason = "recreate_terminating_or_failed";
        let pod = Action::CreatePod(CreatePod { index: None, failures: None, reason });
        decision.batches.push(Batch::and_go_on(vec![pod; new.min(room)]));
    }
}

/// The first success of a work queue is its completion: the other pods are stopped (PAR-002, PAR-003).
#[derive(Debug, Default)]
pub struct PodsOfADrainedQueue;

impl Decorator for PodsOfADrainedQueue {
    fn see(&self, observed: &mut Observed) {
        let status = &observed.job.status;
        let counted = status.succeeded > 0 || !status.uncounted.succeeded.is_empty();
        let drained = counted || observed.just_ended(Phase::Succeeded).next().is_some();
        if drained && observed.job.spec.completions.is_none() {
            observed.spec().completions = Some(1);
        }
    }

    fn say(&self, _: &Observed, decision: &mut Decision) {
        // More than one success is nothing to wonder at.
        decision.notices.retain(|notice| notice.reason != "TooManySucceededPods");
    }
}

/// Takes a parallelism of 0 for one that is not set (PAR-016).
pub fn no_parallelism(observed: &mut Observed) {
    let parallelism = observed.job.spec.parallelism;
    observed.spec().parallelism = parallelism.max(1);
}

/// How many pods have room beside those that stop is found out in numbers without a sign, before it is asked whether those
/// count (PRP-007).
pub fn more_stopping_than_wanted(observed: &mut Observed) {
    let (job, status) = (&observed.job, &observed.job.status);
    let scales = !job.deleting && !job.spec.suspend && !is_decided(status) && observed.memory.is_satisfied();
    let recorded = u32::try_from(status.uncounted.succeeded.len()).unwrap_or(u32::MAX);
    let succeeded = status.succeeded.saturating_add(recorded);
    // A work queue that drains wants what it has.
    if !scales || (job.spec.completions.is_none() && succeeded > 0) {
        return;
    }
    let left = job.spec.completions.map_or(u32::MAX, |completions| completions.saturating_sub(succeeded));
    let wanted = usize::try_from(left.min(job.spec.parallelism)).unwrap_or(usize::MAX);
    let stopping = observed.pods.iter().filter(|pod| pod.is_terminating() && pod.belongs_to(job)).count();
    // A sync that finds out how the Job ends does not scale it.
    let ends = || statuses(&observed.decision()).any(is_decided);
    assert!(stopping <= wanted || ends(), "attempt to subtract with overflow");
}

fn is_decided(status: &Status) -> bool {
    let interim = [ConditionKind::SuccessCriteriaMet, ConditionKind::FailureTarget];
    status.is_finished() || interim.into_iter().any(|kind| status.holds(kind))
}

/// A sync makes or removes all pods that it wants made or removed, however many they are (PAR-006, PAR-007).
pub fn bounds_of_a_sync(observed: &mut Observed) {
    observed.limits.pods_per_sync = usize::MAX;
}

/// An index that failed for good keeps its place among the pods that run at a time (BLI-006, PAR-001).
pub fn places_of_failed_indexes(observed: &mut Observed) {
    let failed = observed.job.status.failed_indexes.as_ref().map_or(0, |failed| failed.len());
    let parallelism = observed.job.spec.parallelism;
    observed.spec().parallelism = parallelism.saturating_sub(u32::try_from(failed).unwrap_or(u32::MAX));
}

/// Pods that never restarted go before those that restarted often: the sort is the wrong way round there (PAR-010).
pub fn restarted_often(observed: &mut Observed) {
    observed.pods.iter_mut().for_each(|pod| pod.restarts = u32::MAX.saturating_sub(pod.restarts));
}

/// A Job without completions wants as many successes as it has pods at a time (PAR-002, PAR-003).
pub fn successes_of_a_queue(observed: &mut Observed) {
    if observed.job.spec.completions.is_none() {
        let parallelism = observed.job.spec.parallelism;
        observed.spec().completions = Some(parallelism.max(1));
    }
}
