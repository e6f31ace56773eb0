//! *Blind*: something that is there is not seen, or taken for something else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::well_known::BUILT_IN_CONTROLLER;
use jobsworth_api::{ConditionKind, IndexSet};
use jobsworth_controller::args::Args;
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller::gates;
use jobsworth_controller_runtime::key::Key;
use jobsworth_core::pod::{Owner, Phase};
use jobsworth_core::{Decision, PodView, Requeue, Uid};
use serde_json::Value;

use crate::{Decorator, Notes, Observed};

/// Does not see that pods still stop once the Job is to fail.
pub fn stopping_pods(observed: &mut Observed) {
    if observed.job.status.holds(ConditionKind::FailureTarget) {
        observed.pods.retain(|pod| !pod.is_terminating());
    }
}

/// A pod is its Job's by the Job's name.
#[derive(Debug, Default)]
pub struct OwnerUid;

impl Decorator for OwnerUid {
    fn gather(&self, job: &CachedJob, pods: &Pods) -> Option<Vec<Arc<CachedPod>>> {
        let from = Key { namespace: Arc::clone(&job.view.namespace), name: "".into() };
        let named = pods.store().of_namespace(&from).filter(|(_, pod)| {
            pod.view.owner.as_ref().is_some_and(|owner| owner.is_job && owner.name == job.view.name)
        });
        let taken = named.map(|(_, pod)| {
            let owner = Owner { is_job: true, name: job.view.name.clone(), uid: job.view.uid.clone() };
            let view = jobsworth_core::PodView { owner: Some(owner), ..pod.view.clone() };
            Arc::new(CachedPod { namespace: pod.namespace.clone(), view, complaint: None })
        });
        Some(taken.collect())
    }
}

/// Does not know `backoffLimit`.
pub fn backoff_limit(observed: &mut Observed) {
    observed.spec().backoff_limit = u32::MAX;
}

/// Takes restarts in place for one fewer.
pub fn first_restart(observed: &mut Observed) {
    observed.pods.iter_mut().for_each(|pod| pod.restarts_with_init = pod.restarts_with_init.saturating_sub(1));
}

/// Takes the limit for the first failure that is too many.
pub fn last_permitted_failure(observed: &mut Observed) {
    let limit = observed.job.spec.backoff_limit;
    observed.spec().backoff_limit = limit.saturating_sub(1);
}

/// The deadline goes on while the Job is suspended.
#[derive(Debug, Default)]
pub struct SuspensionForTheDeadline;

impl SuspensionForTheDeadline {
    fn remaining(observed: &Observed) -> Option<SignedDuration> {
        let seconds = observed.job.spec.deadline_s.filter(|_| observed.job.spec.suspend)?;
        Some(observed.job.created + SignedDuration::from_secs(seconds) - observed.now)
            .map(|span| span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).unwrap_or(SignedDuration::ZERO))
    }
}

impl Decorator for SuspensionForTheDeadline {
    fn see(&self, observed: &mut Observed) {
        if Self::remaining(observed).is_some_and(|left| left <= SignedDuration::ZERO) {
            observed.spec().suspend = false;
            observed.job.status.start_time = Timestamp::from_second(observed.job.created.as_second()).ok();
            observed.job.status.conditions.retain(|condition| &*condition.kind != "Suspended");
            // That there was nothing to do about the Job as it is says nothing about this one.
            observed.memory.pods_were_listed();
        }
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if let Some(left) = Self::remaining(observed) {
            decision.requeue = decision.requeue.sooner(Requeue::After(left));
        }
    }
}

/// Cannot read the exit codes of a pod whose containers still run.
pub fn running_containers(observed: &mut Observed) {
    let policy = observed.job.spec.failure_policy.is_some();
    assert!(!policy || observed.pods.iter().all(|pod| pod.phase != Phase::Running), "a container without an exit code");
}

/// Reads the rules of the failure policy from the end.
pub fn first_match(observed: &mut Observed) {
    observed.policies(|spec| spec.pod_failure_policy.iter_mut().for_each(|policy| policy.rules.reverse()));
}

fn rename_action(observed: &mut Observed, from: &str) {
    observed.policies(|spec| {
        let rules = spec.pod_failure_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter(|rule| rule.action == from).for_each(|rule| "Count".clone_into(&mut rule.action));
    });
}

/// Takes `Ignore` for `Count`.
pub fn ignore(observed: &mut Observed) {
    rename_action(observed, "Ignore");
}

/// Takes `FailIndex` for `Count`.
pub fn fail_index(observed: &mut Observed) {
    rename_action(observed, "FailIndex");
}

/// Does not see that the Job is suspended.
pub fn suspend(observed: &mut Observed) {
    observed.spec().suspend = false;
}

/// Takes `podReplacementPolicy: Failed` for the default.
pub fn replacement_policy(observed: &mut Observed) {
    observed.spec().replaces_only_failed = false;
}

/// Looks at the success policy first, and once it is met at no failure.
pub fn failures_beside_success(observed: &mut Observed) {
    let ended = observed.pods.iter().filter(|pod| pod.phase == Phase::Succeeded).filter_map(|pod| pod.index);
    let completed = observed.job.status.completed.union(&ended.collect::<IndexSet>());
    if observed.job.spec.success_policy.as_ref().is_some_and(|policy| policy.satisfied_by(&completed).is_some()) {
        let spec = observed.spec();
        spec.backoff_limit = u32::MAX;
        (spec.failure_policy, spec.deadline_s, spec.max_failed_indexes) = (None, None, None);
    }
}

/// Where a success rule has a count, its list of indexes is not seen.
pub fn listed_indexes(observed: &mut Observed) {
    observed.policies(|spec| {
        let rules = spec.success_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter(|rule| rule.succeeded_count.is_some()).for_each(|rule| rule.succeeded_indexes = None);
    });
}

/// Does not know `managedBy`.
#[derive(Debug, Default)]
pub struct ManagedBy;

impl Decorator for ManagedBy {
    fn flags(&self, args: &mut Args) {
        args.feature_gates.extend(gates::parse("JobManagedBy=false"));
    }
}

/// Takes any value of `managedBy` for another manager, also the one that is reserved for it (MGB-001).
pub fn reserved_manager(job: &mut Value) {
    if job["spec"]["managedBy"] == BUILT_IN_CONTROLLER {
        job["spec"]["managedBy"] = "example.com/another".into();
    }
}

/// Does not see that a pod was deleted before it ended.
pub fn deletions(observed: &mut Observed) {
    observed.pods.iter_mut().filter(|pod| !pod.is_terminal()).for_each(|pod| pod.deleting = false);
}

/// Takes a pod that succeeded and was deleted before it was accounted for one that failed (FIN-004).
pub fn success_of_deleted_pods(observed: &mut Observed) {
    let completed = Arc::clone(&observed.job.status.completed);
    let recorded = |pod: &PodView| pod.index.is_some_and(|index| completed.contains(index));
    let succeeded = observed.pods.iter_mut().filter(|pod| pod.phase == Phase::Succeeded && !recorded(pod));
    succeeded.filter(|pod| pod.deleting).for_each(|pod| pod.phase = Phase::Failed);
}

/// Takes the first end of a container for the end of the pod (BKO-009).
pub fn all_ends_but_the_first(pod: &mut Value) {
    let containers = pod.pointer_mut("/status/containerStatuses").and_then(Value::as_array_mut);
    let containers = containers.into_iter().flatten();
    let ends = containers.filter_map(|container| container.pointer_mut("/state/terminated/finishedAt"));
    let ends: Vec<&mut Value> = ends.filter(|end| end.is_string()).collect();
    // All in the one form in which the API server writes times: the least text is the earliest.
    let first = ends.iter().filter_map(|end| end.as_str()).min().map(str::to_owned);
    let Some(first) = first else { return };
    for end in ends {
        *end = first.clone().into();
    }
}

/// Takes the time at which it saw a failure for that of the failure (BKO-009).
#[derive(Debug, Default)]
pub struct TimesOfFailures {
    seen: Notes<BTreeMap<Uid, Timestamp>>,
}

impl Decorator for TimesOfFailures {
    fn see(&self, observed: &mut Observed) {
        let mut seen = self.seen.open();
        for pod in observed.pods.iter_mut().filter(|pod| pod.phase == Phase::Failed) {
            pod.finished = *seen.entry(pod.uid.clone()).or_insert(observed.now);
        }
    }
}

/// A pod that is told to stop while it waits never had a container that could end: its end is not seen (PRP-002).
#[derive(Debug, Default)]
pub struct EndsOfWaitingPods {
    stopped: Notes<BTreeSet<Uid>>,
}

impl Decorator for EndsOfWaitingPods {
    fn see(&self, observed: &mut Observed) {
        let mut stopped = self.stopped.open();
        for pod in &mut observed.pods {
            if pod.deleting && pod.phase == Phase::Pending {
                stopped.insert(pod.uid.clone());
            } else if stopped.contains(&pod.uid) {
                pod.phase = Phase::Pending;
            }
        }
    }
}
