//! The hosts of a job, as the `svc` plugin writes them into a `ConfigMap` (VJ-279).

use std::collections::BTreeMap;

use jobsworth_volcano_api::{Job, TaskSpec};

use crate::names;

/// The hosts of a task: one per replica, or one in all when the template has a hostname.
#[must_use]
pub fn of_task(job: &Job, task: &TaskSpec) -> Vec<String> {
    let fixed =
        task.template.spec.as_ref().and_then(|spec| spec.hostname.as_deref()).is_some_and(|name| !name.is_empty());
    let count = names::replicas(task).min(if fixed { 1 } else { i32::MAX });
    (0..count).map(|index| names::host(job, task, index)).map(|(host, domain)| format!("{host}.{domain}")).collect()
}

/// Keys and values of the `ConfigMap`: per task a file of hosts, the same in one line, and their number.
#[must_use]
pub fn data(job: &Job) -> BTreeMap<String, String> {
    let mut data = BTreeMap::new();
    for task in &job.spec.tasks {
        let hosts = of_task(job, task);
        data.insert(format!("{}.host", key(task)), hosts.join("\n"));
        data.insert(hosts_variable(task), hosts.join(","));
        data.insert(number_variable(task), hosts.len().to_string());
    }
    data
}

/// `VC_<TASK>_HOSTS`, in the `ConfigMap` and in containers.
#[must_use]
pub fn hosts_variable(task: &TaskSpec) -> String {
    format!("VC_{}_HOSTS", key(task).to_uppercase())
}

/// `VC_<TASK>_NUM`, in the `ConfigMap` and in containers.
#[must_use]
pub fn number_variable(task: &TaskSpec) -> String {
    format!("VC_{}_NUM", key(task).to_uppercase())
}

fn key(task: &TaskSpec) -> String {
    task.name.replace('-', "_")
}
