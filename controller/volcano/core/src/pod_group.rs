//! The `PodGroup` that tells the scheduler of the gang (VJ-255 to VJ-262).

use std::collections::BTreeMap;

use jobsworth_volcano_api::well_known::{PARTITION_ID, TASK_SPEC};
use jobsworth_volcano_api::{
    Job, NetworkTopology, PodGroup, PodGroupPhase, PodGroupSpec, PodGroupStatus, SubGroupPolicy, TaskSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::min_resources::{Priorities, min_resources};
use crate::names;

/// The group to be posted (VJ-255 to VJ-261).
#[must_use]
pub fn pod_group(job: &Job, priorities: &Priorities) -> PodGroup {
    let mut metadata = names::owned(job, names::group(job));
    metadata.labels.clone_from(&job.metadata.labels);
    metadata.annotations.clone_from(&job.metadata.annotations);
    let spec = PodGroupSpec {
        min_member: job.spec.min_available,
        min_task_member: job.spec.tasks.iter().map(|task| (task.name.clone(), members(task))).collect(),
        queue: job.spec.queue.clone(),
        priority_class_name: job.spec.priority_class_name.clone(),
        min_resources: Some(min_resources(&job.spec, priorities)),
        network_topology: job.spec.network_topology.as_ref().map(topology),
        sub_group_policy: job.spec.tasks.iter().filter_map(sub_group).collect(),
    };
    PodGroup { metadata, spec, status: None }
}

/// The group as it ought to be, if it is not: only what follows the job later on changes, entries of tasks never go
/// (VJ-262).
#[must_use]
pub fn update(job: &Job, group: &PodGroup, priorities: &Priorities) -> Option<PodGroup> {
    let wanted = pod_group(job, priorities).spec;
    let mut new = group.clone();
    new.spec.priority_class_name = wanted.priority_class_name;
    if new.spec.min_member != wanted.min_member {
        (new.spec.min_member, new.spec.min_resources) = (wanted.min_member, wanted.min_resources);
    }
    new.spec.min_task_member.extend(wanted.min_task_member);
    new.spec.sub_group_policy = wanted.sub_group_policy;
    (new != *group).then_some(new)
}

/// Whether pods may be made: the scheduler has let the group in (VJ-162).
#[must_use]
pub fn lets_pods_in(group: &PodGroup) -> bool {
    let phase = group.status.as_ref().and_then(|status: &PodGroupStatus| status.phase);
    !matches!(phase, None | Some(PodGroupPhase::Pending))
}

/// How many pods of a task the gang needs (VJ-257).
fn members(task: &TaskSpec) -> i32 {
    let of_partitions = task.partition_policy.as_ref().filter(|p| p.min_partitions > 0 && p.partition_size > 0);
    let of_partitions = of_partitions.map(|policy| policy.min_partitions.saturating_mul(policy.partition_size));
    task.min_available.or(of_partitions).unwrap_or(task.replicas)
}

/// A tier's number wins over its name (VJ-261).
fn topology(wanted: &NetworkTopology) -> NetworkTopology {
    let mut copy = wanted.clone();
    if copy.highest_tier_allowed.is_some() {
        copy.highest_tier_name.clear();
    }
    copy
}

/// VJ-261.
fn sub_group(task: &TaskSpec) -> Option<SubGroupPolicy> {
    let policy = task.partition_policy.as_ref()?;
    let labels = BTreeMap::from([(TASK_SPEC.to_owned(), task.name.clone())]);
    Some(SubGroupPolicy {
        name: task.name.clone(),
        network_topology: policy.network_topology.as_ref().map(topology),
        sub_group_size: Some(policy.partition_size),
        min_sub_groups: Some(policy.min_partitions),
        label_selector: Some(LabelSelector { match_labels: Some(labels), match_expressions: None }),
        match_label_keys: vec![PARTITION_ID.to_owned()],
    })
}
