//! One task of a new job.

use jobsworth_volcano_api::quantity::Amount;
use jobsworth_volcano_api::{Job, NumaPolicy, TaskSpec};
use k8s_openapi::api::core::v1::Container;

use super::{Findings, names, policies, topology};

/// Checks a task; `objections` are those of an API server to its pod template.
pub(super) fn check(job: &Job, index: usize, task: &TaskSpec, objections: &[String], findings: &mut Findings) {
    let job_name = names::of(job);
    let place = format!("in task: {}, job: {job_name};", task.name);
    if task.replicas < 0 {
        findings.add(format!("'replicas' < 0 {place}"));
    }
    match task.min_available {
        Some(min) if min < 0 => findings.add(format!("'minAvailable' < 0 {place}")),
        Some(min) if min > task.replicas => findings.add(format!("'minAvailable' is greater than 'replicas' {place}")),
        _ => {}
    }
    if task.max_retry < 0 {
        findings.add(format!("'maxRetry' < 0 {place}"));
    }
    check_partitions(task, &place, findings);
    names::check_task(&task.name, findings);
    policies::check(&task.policies, &format!("spec.tasks[{index}].policies"), findings);
    names::check_pod(&format!("{job_name}-{}-{index}", task.name), findings);
    if let Some(policy) = &task.partition_policy {
        topology::check(
            policy.network_topology.as_ref(),
            &format!("spec.tasks[{index}].partitionPolicy.networkTopology"),
            findings,
        );
    }
    if objections.is_empty() {
        check_cpus(task, index, findings);
    } else {
        findings.add(format!("spec.task[{index}].{}.", objections.join(". ")));
    }
}

/// Partitions are all of one size, and the gang is made of whole ones (VJ-087).
fn check_partitions(task: &TaskSpec, place: &str, findings: &mut Findings) {
    if !fills_partitions(task) {
        findings.add(format!("'Replicas' are not equal to TotalPartitions*PartitionSize {place}"));
    }
    let Some(policy) = task.partition_policy.as_ref().filter(|policy| policy.min_partitions > 0) else { return };
    let needed = i64::from(policy.min_partitions).saturating_mul(policy.partition_size.into());
    if task.min_available.is_some_and(|min| i64::from(min) != needed) {
        findings.add(format!("'MinAvailable' is not equal to MinPartitions*PartitionSize {place}"));
    }
}

/// Whether the replicas fill all partitions; true without a partition policy.
pub(super) fn fills_partitions(task: &TaskSpec) -> bool {
    task.partition_policy.as_ref().is_none_or(|policy| {
        let places = i64::from(policy.total_partitions).saturating_mul(policy.partition_size.into());
        i64::from(task.replicas) == places
    })
}

/// Whole CPUs for every container that is to be placed by the node's topology (VJ-089).
fn check_cpus(task: &TaskSpec, index: usize, findings: &mut Findings) {
    if matches!(task.topology_policy, None | Some(NumaPolicy::None)) {
        return;
    }
    let Some(pod) = &task.template.spec else { return };
    let all = pod.containers.iter().chain(pod.init_containers.iter().flatten());
    for (position, container) in all.enumerate() {
        if !has_whole_cpus(container) {
            findings.add(format!("the cpu request isn't an integer in spec.task[{index}] container[{position}];"));
        }
    }
}

/// A limit stands in for a missing request.
fn has_whole_cpus(container: &Container) -> bool {
    let resources = container.resources.as_ref();
    let cpu = |list: Option<&std::collections::BTreeMap<_, _>>| list.and_then(|list| list.get("cpu").cloned());
    let requested = resources.and_then(|all| cpu(all.requests.as_ref()).or_else(|| cpu(all.limits.as_ref())));
    requested.and_then(|cpus| Amount::try_from(&cpus).ok()).is_some_and(|cpus| cpus.is_whole() && cpus.nanos() > 0)
}
