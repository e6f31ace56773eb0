//! The pod of a task (VJ-240 to VJ-247).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jobsworth_volcano_api::well_known::{
    COOLDOWN_TIME, GROUP_NAME, JDB_MAX_UNAVAILABLE, JDB_MIN_AVAILABLE, JOB_NAME, JOB_NAMESPACE, JOB_RETRY_COUNT,
    JOB_VERSION, NUMA_TOPOLOGY_POLICY, PARTITION_ID, PREEMPTABLE, QUEUE_NAME, REVOCABLE_ZONE, TASK_INDEX, TASK_SPEC,
    TEMPLATE_UID,
};
use jobsworth_volcano_api::{Job, NumaPolicy, TaskSpec};
use k8s_openapi::api::core::v1::Pod;

use crate::plugin::{self, UnknownPlugin};
use crate::pod::EVICTED_AT;
use crate::{Profile, names, volumes};

/// A pod to be born.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPod {
    /// Name of its task.
    pub task: String,
    /// Its index in the task.
    pub index: i32,
    /// Its name.
    pub name: String,
    /// When its predecessor was evicted, if a timer runs on that.
    pub evicted_at: Option<Timestamp>,
}

/// The pod to be posted. `group` is the name of the `PodGroup`, `claims` the claims that exist in the namespace
/// (VJ-240 to VJ-247, VJ-234).
///
/// # Errors
/// The job names a plugin that there is not (VJ-276).
pub fn build_pod(
    job: &Job,
    wanted: &NewPod,
    group: &str,
    claims: &BTreeSet<String>,
    profile: Profile,
) -> Result<Pod, UnknownPlugin> {
    let none = TaskSpec::default();
    let task = job.spec.tasks.iter().find(|task| task.name == wanted.task).unwrap_or(&none);
    let template = task.template.metadata.clone().unwrap_or_default();
    let mut metadata = names::owned(job, wanted.name.clone());
    metadata.finalizers = template.finalizers;
    let mut labels = template.labels.unwrap_or_default();
    labels.extend(own_labels(job, task, wanted.index));
    let mut annotations = template.annotations.unwrap_or_default();
    annotations.extend(own_annotations(job, task, wanted, group));
    (metadata.labels, metadata.annotations) = (Some(labels), Some(annotations));

    let mut spec = task.template.spec.clone().unwrap_or_default();
    let unset = |text: Option<&String>| text.is_none_or(String::is_empty);
    if unset(spec.scheduler_name.as_ref()) && !job.spec.scheduler_name.is_empty() {
        spec.scheduler_name = Some(job.spec.scheduler_name.clone());
    }
    if unset(spec.priority_class_name.as_ref()) && !job.spec.priority_class_name.is_empty() {
        spec.priority_class_name = Some(job.spec.priority_class_name.clone());
    }
    volumes::mount(job, &mut spec, &wanted.name, claims, profile);
    let mut pod = Pod { metadata, spec: Some(spec), status: None };
    plugin::decorate(job, task, wanted.index, &mut pod)?;
    Ok(pod)
}

/// The partition of a pod: its index divided by the size, 0 without a size (VJ-234).
#[must_use]
pub fn partition(task: &TaskSpec, index: i32) -> Option<i32> {
    let policy = task.partition_policy.as_ref()?;
    Some(if policy.partition_size > 0 { index.checked_div(policy.partition_size).unwrap_or_default() } else { 0 })
}

/// VJ-243, VJ-245, VJ-234.
fn own_labels(job: &Job, task: &TaskSpec, index: i32) -> BTreeMap<String, String> {
    let namespace = job.metadata.namespace.clone().unwrap_or_default();
    let fixed = [
        (JOB_NAME, names::of(job).to_owned()),
        (JOB_NAMESPACE, namespace),
        (TASK_SPEC, task.name.clone()),
        (TASK_INDEX, index.to_string()),
        (QUEUE_NAME, job.spec.queue.clone()),
    ];
    let partition = partition(task, index).map(|partition| (PARTITION_ID, partition.to_string()));
    let known = job.metadata.labels.as_ref();
    let copied = [PREEMPTABLE, COOLDOWN_TIME].into_iter().filter_map(|key| Some((key, known?.get(key)?.clone())));
    fixed.into_iter().chain(partition).chain(copied).map(|(key, value)| (key.to_owned(), value)).collect()
}

/// VJ-244, VJ-245.
fn own_annotations(job: &Job, task: &TaskSpec, wanted: &NewPod, group: &str) -> BTreeMap<String, String> {
    let (version, retries) = job.status.as_ref().map_or((0, 0), |status| (status.version, status.retry_count));
    let fixed = [
        (JOB_NAME, names::of(job).to_owned()),
        (TASK_SPEC, task.name.clone()),
        (TASK_INDEX, wanted.index.to_string()),
        (QUEUE_NAME, job.spec.queue.clone()),
        (JOB_VERSION, version.to_string()),
        (JOB_RETRY_COUNT, retries.to_string()),
        (TEMPLATE_UID, format!("{}-{}", names::of(job), task.name)),
        (GROUP_NAME, group.to_owned()),
    ];
    let numa = task.topology_policy.as_ref().map(|policy: &NumaPolicy| (NUMA_TOPOLOGY_POLICY, policy.to_string()));
    let known = job.metadata.annotations.as_ref();
    let of_job = |key: &'static str| Some((key, known?.get(key)?.clone()));
    let copied = [PREEMPTABLE, COOLDOWN_TIME, REVOCABLE_ZONE].into_iter().filter_map(of_job);
    let budget = of_job(JDB_MIN_AVAILABLE).or_else(|| of_job(JDB_MAX_UNAVAILABLE));
    let evicted = wanted.evicted_at.map(|at| (EVICTED_AT, at.to_string()));
    let all = fixed.into_iter().chain(numa).chain(copied).chain(budget).chain(evicted);
    all.map(|(key, value)| (key.to_owned(), value)).collect()
}
