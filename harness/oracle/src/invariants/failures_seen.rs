//! Failures that a correct controller must have counted, for S22: told by the pods alone, whatever the status says.
//!
//! A pod counts for certain that ended as `Failed` by itself, with the tracking finalizer on, and long enough ago to have
//! been seen. Left out is what may rightly count as nothing: pods that were told to stop before (scale-down, suspension, people),
//! disruptions and lost nodes, what a rule of the failure policy may ignore, pods that were let go of by the script, or before anybody
//! need have seen their end, pods that changed hands or their index, and all pods of a Job that restarts in place or whose completions
//! were changed.

use super::{
    job_history::{JobHistory, UNSEEN},
    reading,
    script_edits::is_stripped_by_script,
};
use crate::{
    history::{ObjectHistory, Version},
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked, phase},
};
use k8s_openapi::api::{
    batch::v1::{Job, PodFailurePolicyRule},
    core::v1::Pod,
};
use std::{collections::BTreeSet, time::Duration};

/// What nodes and eviction do to a pod is told by this condition.
const DISRUPTED: &str = "DisruptionTarget";

/// The pods of a Job that failed for certain, each with the version that says so first.
pub(super) struct FailuresSeen<'h> {
    all: Vec<(&'h ObjectHistory<Pod>, &'h Version<Pod>)>,
    /// Indexes whose count may be lost: it is kept in their pods, and somebody else let go of one, or one went that had not ended (BLI-001).
    lost: BTreeSet<u32>,
}

impl<'h> FailuresSeen<'h> {
    pub(super) fn of(history: &'h JobHistory) -> Self {
        if restarts_in_place(&history.job.first().object) || is_elastic(history) {
            return Self { all: vec![], lost: BTreeSet::new() };
        }
        let is_kept = |pod: &&ObjectHistory<Pod>| history.has_kept(pod) && !is_stripped_by_script(pod);
        let all = history.pods.iter().filter(is_kept);
        let others = history.ever.iter().filter(|pod| !is_kept(pod) || went_before_its_end(pod));
        Self {
            all: all.filter_map(|pod| Some((pod, failure(history, pod)?))).collect(),
            lost: others.filter_map(|pod| completion_index(&pod.first().object)).collect(),
        }
    }

    /// How many had failed at this revision.
    pub(super) fn before(&self, revision: u64) -> usize {
        self.all.iter().filter(|(_, failure)| failure.revision < revision).count()
    }

    /// How many a controller has seen that makes a pod at this time.
    pub(super) fn in_sight(&self, birth: &Version<Pod>) -> usize {
        self.seen(birth).count()
    }

    /// How many of these were of this index; none where that is not sure.
    pub(super) fn of_index(&self, birth: &Version<Pod>, index: u32) -> usize {
        if self.lost.contains(&index) {
            return 0;
        }
        self.seen(birth).filter(|(pod, _)| completion_index(&pod.first().object) == Some(index)).count()
    }

    fn seen(&self, birth: &Version<Pod>) -> impl Iterator<Item = &(&'h ObjectHistory<Pod>, &'h Version<Pod>)> {
        let (revision, at) = (birth.revision, birth.at);
        self.all.iter().filter(move |(_, failure)| failure.revision < revision && is_long_ago(failure.at, at))
    }
}

/// Whether it was let go of, or gone, before it had ended: a surplus pod takes the count of its index with it.
fn went_before_its_end(pod: &ObjectHistory<Pod>) -> bool {
    let is_free = |version: &Version<Pod>| pod.gone == Some(version.revision) || !is_tracked(&version.object);
    let has_ended = |version: &Version<Pod>| is_terminal(&version.object);
    let free = pod.versions.iter().position(is_free);
    free.is_some_and(|free| !pod.versions[..=free].iter().any(has_ended))
}

fn is_long_ago(failure: Duration, now: Duration) -> bool {
    failure + UNSEEN < now
}

/// The version in which the pod has failed, if that counts for certain.
fn failure<'h>(history: &JobHistory, pod: &'h ObjectHistory<Pod>) -> Option<&'h Version<Pod>> {
    let end = pod.versions.iter().find(|version| phase(&version.object) == "Failed" || is_stopping(&version.object))?;
    let is_same = |version: &Version<Pod>| completion_index(&version.object) == completion_index(&pod.first().object);
    let counts = !is_stopping(&end.object)
        && is_tracked(&end.object)
        && pod.versions.iter().all(is_same)
        && pod.versions.iter().all(|version| !is_disrupted(&version.object))
        && pod.versions.iter().all(|version| phase(&version.object) != "Succeeded")
        && !may_be_ignored(&history.job.first().object, &end.object)
        && !may_have_gone_unseen(history, pod, end);
    counts.then_some(end)
}

/// Whether somebody let go of the pod who may have believed that it runs: right after its end, and no status has it.
fn may_have_gone_unseen(history: &JobHistory, pod: &ObjectHistory<Pod>, end: &Version<Pod>) -> bool {
    let is_freed = |version: &Version<Pod>| {
        version.revision > end.revision && version.at <= end.at + UNSEEN && !is_tracked(&version.object)
    };
    let is_recorded = || history.job.first_with(|job| reading::uncounted_failed(job).contains(&pod.uid)).is_some();
    pod.versions.iter().any(is_freed) && !is_recorded()
}

fn is_disrupted(pod: &Pod) -> bool {
    conditions(pod).any(|kind| kind == DISRUPTED)
}

fn conditions(pod: &Pod) -> impl Iterator<Item = &str> {
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.map(|condition| condition.type_.as_str())
}

/// Whether a rule may ignore the failure: one that looks at exit codes may, one that looks at conditions only if the pod has one of them.
fn may_be_ignored(job: &Job, pod: &Pod) -> bool {
    let policy = job.spec.as_ref().and_then(|spec| spec.pod_failure_policy.as_ref());
    let may = |rule: &PodFailurePolicyRule| {
        let mut named = rule.on_pod_conditions.iter().flatten();
        rule.on_exit_codes.is_some() || named.any(|wanted| conditions(pod).any(|kind| kind == wanted.type_))
    };
    policy.is_some_and(|policy| policy.rules.iter().any(|rule| rule.action == "Ignore" && may(rule)))
}

pub(super) fn restarts_in_place(job: &Job) -> bool {
    let template = job.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    template.is_none_or(|spec| spec.restart_policy.as_deref() != Some("Never"))
}

fn is_elastic(history: &JobHistory) -> bool {
    history
        .job
        .steps()
        .any(|(before, after)| reading::completions(&before.object) != reading::completions(&after.object))
}
