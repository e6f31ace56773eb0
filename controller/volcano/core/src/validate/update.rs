//! A changed job (section 1.6).

use jobsworth_volcano_api::{Job, JobSpec};
use serde_json::Value;

use super::{Findings, Refusal, names, task};

/// Checks a change.
///
/// # Errors
/// Everything that is wrong with it. A change that leaves the spec alone is never refused, whatever the spec holds: somebody may have
/// to take a finalizer off a job that came in while there was no webhook (VJ-099).
pub fn check(old: &Job, new: &Job) -> Result<(), Refusal> {
    if old.spec == new.spec {
        return Ok(());
    }
    let mut findings = Findings::default();
    check_numbers(new, &mut findings);
    if old.spec.tasks.len() == new.spec.tasks.len() {
        let changed = changed(&fixed(&old.spec, &old.spec), &fixed(&new.spec, &old.spec));
        if !changed.is_empty() {
            findings.add(format!(
                "job updates may not change fields other than `minAvailable`, `priorityClassName`, `tasks[*].minAvailable` and \
                 `tasks[*].replicas` under spec; changed: {};",
                changed.join(", ")
            ));
        }
    } else {
        findings.add("job updates may not add or remove tasks;");
    }
    findings.verdict()
}

/// What must hold after the change (VJ-097, VJ-326).
fn check_numbers(job: &Job, findings: &mut Findings) {
    let tasks = &job.spec.tasks;
    for each in tasks {
        let name = &each.name;
        if each.replicas < 0 {
            findings.add(format!("'replicas' must be >= 0 in task: {name};"));
        }
        match each.min_available {
            Some(min) if min < 0 => findings.add(format!("'minAvailable' must be >= 0 in task: {name};")),
            Some(min) if min > each.replicas => {
                findings.add(format!("'minAvailable' must be <= 'replicas' in task: {name};"))
            }
            _ => {}
        }
        if !task::fills_partitions(each) {
            let job = names::of(job);
            findings
                .add(format!("'Replicas' are not equal to TotalPartitions*PartitionSize in task: {name}, job: {job};"));
        }
    }
    if job.spec.min_available < 0 {
        findings.add("job 'minAvailable' must be >= 0;");
    }
    let total: i64 = tasks.iter().map(|task| i64::from(task.replicas)).sum();
    if i64::from(job.spec.min_available) > total {
        findings.add("job 'minAvailable' must not be greater than total replicas;");
    }
}

/// The spec with what may change as it was: numbers, priority (VJ-095), and names of claims that the job brings (VJ-098, VJ-332).
fn fixed(spec: &JobSpec, was: &JobSpec) -> JobSpec {
    let mut spec = spec.clone();
    spec.min_available = was.min_available;
    spec.priority_class_name.clone_from(&was.priority_class_name);
    for (task, was) in spec.tasks.iter_mut().zip(&was.tasks) {
        task.replicas = was.replicas;
        task.min_available = was.min_available;
    }
    for volume in spec.volumes.iter_mut().filter(|volume| volume.volume_claim.is_some()) {
        volume.volume_claim_name.clear();
    }
    spec
}

/// Names of the fields that differ, those of tasks with their index.
fn changed(old: &JobSpec, new: &JobSpec) -> Vec<String> {
    let json = |spec: &JobSpec| serde_json::to_value(spec).unwrap_or_default();
    let (old, new) = (json(old), json(new));
    let mut names = Vec::new();
    for name in differing(&old, &new) {
        let (Some(Value::Array(before)), Some(Value::Array(after)), "tasks") =
            (old.get(&name), new.get(&name), name.as_str())
        else {
            names.push(format!("`{name}`"));
            continue;
        };
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            names.extend(differing(before, after).into_iter().map(|field| format!("`tasks[{index}].{field}`")));
        }
    }
    names
}

fn differing(old: &Value, new: &Value) -> Vec<String> {
    let empty = serde_json::Map::new();
    let (old, new) = (old.as_object().unwrap_or(&empty), new.as_object().unwrap_or(&empty));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

#[cfg(test)]
mod tests;
