//! What a new job gets for what it leaves out (section 1.3, VJ-033 to VJ-041).

use jobsworth_volcano_api::well_known::{DEFAULT_MAX_RETRY, DEFAULT_QUEUE, DEFAULT_TASK_PREFIX};
use jobsworth_volcano_api::{JobSpec, TaskSpec};

/// Plugins whose tasks have to find each other (VJ-041).
const DISTRIBUTED: [&str; 4] = ["mpi", "pytorch", "ray", "tensorflow"];
/// How a pod on the host's network resolves names of the cluster (VJ-036).
const HOST_NETWORK_DNS: &str = "ClusterFirstWithHostNet";

/// Fills in what a new job leaves out. `scheduler` is the name for jobs that have none (VJ-039).
///
/// # Guarantees
/// Nothing that is set changes, and a second time changes nothing (VJ-044).
pub fn apply(spec: &mut JobSpec, scheduler: &str) {
    for (index, task) in spec.tasks.iter_mut().enumerate() {
        task_defaults(task, index);
    }
    if spec.min_available == 0 {
        let needed = spec.tasks.iter().filter_map(|task| task.min_available);
        spec.min_available = needed.fold(0, i32::saturating_add);
    }
    if spec.queue.is_empty() {
        DEFAULT_QUEUE.clone_into(&mut spec.queue);
    }
    if spec.scheduler_name.is_empty() {
        scheduler.clone_into(&mut spec.scheduler_name);
    }
    if spec.max_retry == 0 {
        spec.max_retry = DEFAULT_MAX_RETRY;
    }
    let has = |name: &str| spec.plugins.contains_key(name);
    let (svc, ssh) = (DISTRIBUTED.into_iter().any(has), has("mpi"));
    for (wanted, name) in [(svc, "svc"), (ssh, "ssh")] {
        if wanted {
            spec.plugins.entry(name.to_owned()).or_default();
        }
    }
}

fn task_defaults(task: &mut TaskSpec, index: usize) {
    if task.name.is_empty() {
        task.name = format!("{DEFAULT_TASK_PREFIX}{index}");
    }
    if task.min_available.is_none() {
        let parts = task.partition_policy.as_ref().filter(|policy| policy.min_partitions > 0);
        let needed = parts.map(|policy| policy.min_partitions.saturating_mul(policy.partition_size));
        task.min_available = Some(needed.unwrap_or(task.replicas));
    }
    if task.max_retry == 0 {
        task.max_retry = DEFAULT_MAX_RETRY;
    }
    if let Some(pod) = &mut task.template.spec {
        let has_none = pod.dns_policy.as_deref().unwrap_or_default().is_empty();
        if pod.host_network == Some(true) && has_none {
            pod.dns_policy = Some(HOST_NETWORK_DNS.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
