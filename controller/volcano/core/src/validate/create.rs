//! A new job (section 1.5).

use std::collections::BTreeSet;

use jobsworth_volcano_api::well_known::PLUGINS;
use jobsworth_volcano_api::{Job, JobSpec};

use super::queue::{JobQueue, check_job_queue};
use super::{Findings, Refusal, graph, names, policies, task, topology, volumes};

/// What was looked up about a job.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Its queue.
    pub queue: JobQueue,
    /// What an API server says against the pod template of each task, in their order; empty if it has no objection (VJ-083).
    pub templates: Vec<Vec<String>>,
}

/// Checks a new job, defaulted or not.
///
/// # Errors
/// Everything that is wrong with it. Without tasks, or without the master of an mpi job, that alone (VJ-051, VJ-086).
pub fn check(job: &Job, around: &Surroundings) -> Result<(), Refusal> {
    let spec = &job.spec;
    if spec.tasks.is_empty() {
        return Err(Refusal::new("No task specified in job spec"));
    }
    if let Some(master) = mpi_master(spec)
        && !spec.tasks.iter().any(|task| task.name == master)
    {
        return Err(Refusal::new("The specified mpi master task was not found"));
    }
    let mut findings = Findings::default();
    check_numbers(spec, &mut findings);
    check_tasks(job, around, &mut findings);
    names::check_job(&names::of(job), &mut findings);
    let total: i64 = spec.tasks.iter().map(|task| i64::from(task.replicas)).sum();
    if i64::from(spec.min_available) > total {
        findings.add("job 'minAvailable' should not be greater than total replicas in tasks;");
    }
    policies::check(&spec.policies, "spec.policies", &mut findings);
    for plugin in spec.plugins.keys().filter(|name| !PLUGINS.contains(&name.as_str())) {
        findings.add(format!("unable to find job plugin: {plugin};"));
    }
    volumes::check(&spec.volumes, &mut findings);
    check_job_queue(&spec.queue, &around.queue, &mut findings);
    if !graph::is_acyclic(&spec.tasks) {
        findings.add("job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
    }
    topology::check(spec.network_topology.as_ref(), "spec.networkTopology", &mut findings);
    findings.verdict()
}

/// What the schema refuses first, for servers that have another one (VJ-050).
fn check_numbers(spec: &JobSpec, findings: &mut Findings) {
    if spec.min_available < 0 {
        findings.add("job 'minAvailable' must be >= 0;");
    }
    if spec.max_retry < 0 {
        findings.add("'maxRetry' cannot be less than zero;");
    }
    if spec.ttl_seconds_after_finished.is_some_and(|ttl| ttl < 0) {
        findings.add("'ttlSecondsAfterFinished' cannot be less than zero;");
    }
    if spec.min_success.is_some_and(|min| min < 1) {
        findings.add("'minSuccess' cannot be less than one;");
    }
}

/// A second task of the same name ends the loop: what follows would be told of the wrong one (VJ-060).
fn check_tasks(job: &Job, around: &Surroundings, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for (index, each) in job.spec.tasks.iter().enumerate() {
        if !seen.insert(each.name.as_str()) {
            findings.add(format!("duplicated task name {};", each.name));
            break;
        }
        let objections = around.templates.get(index).map_or(&[][..], Vec::as_slice);
        task::check(job, index, each, objections, findings);
    }
}

/// The task that the mpi plugin takes for its master, if the job has that plugin (VJ-086).
fn mpi_master(spec: &JobSpec) -> Option<&str> {
    let arguments = spec.plugins.get("mpi")?;
    let mut master = "master";
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        let Some(flag) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else { break };
        // A flag that is not joined with its value takes the next argument for it, whatever that is.
        let (flag, value) = match flag.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (flag, rest.next()),
        };
        if flag == "master" {
            master = value.unwrap_or(master);
        }
    }
    Some(master)
}

#[cfg(test)]
mod tests;
