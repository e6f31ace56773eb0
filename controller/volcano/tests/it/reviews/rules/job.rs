//! A new job (sections 1.4 and 1.5).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Rule, holds, items, number, part, policies, text};
use crate::reviews::cluster::FOR_JOBS;

type Object = Map<String, Value>;

const PLUGINS: [&str; 8] = ["ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray"];

pub fn may_be_new(job: &Object) -> Rule {
    let spec = part(job, "spec")?.ok_or("no spec, and so no tasks")?;
    let tasks = items(spec, "tasks")?;
    holds(!tasks.is_empty(), || "no tasks".to_owned())?;
    let names = tasks.iter().map(|task| text(task, "name")).collect::<Result<Vec<&str>, String>>()?;
    holds(names.iter().collect::<BTreeSet<_>>().len() == names.len(), || "two tasks of one name".to_owned())?;
    let name = job_name(job)?;
    for (index, task) in tasks.iter().enumerate() {
        may_be_task(task).map_err(|rule| format!("task {index}: {rule}"))?;
        if let Some(name) = name {
            may_be_name(&format!("{name}-{}-{index}", names[index]))?;
        }
    }
    numbers(spec, &tasks)?;
    for field in ["maxRetry", "ttlSecondsAfterFinished"] {
        holds(number(spec, field)? >= 0, || format!("{field} is negative"))?;
    }
    let has_least = spec.get("minSuccess").is_some_and(|value| !value.is_null());
    holds(!has_least || number(spec, "minSuccess")? >= 1, || "minSuccess is less than 1".to_owned())?;
    policies::may_be(spec)?;
    plugins(spec, &names)?;
    volumes(spec)?;
    let queue = text(spec, "queue")?;
    holds(queue.is_empty() || FOR_JOBS.contains(&queue), || format!("queue {queue:?} takes no jobs"))?;
    is_acyclic(&tasks, &names)?;
    topology(spec)
}

/// (VJ-061, VJ-062, VJ-050, VJ-087) What new and changed jobs have in common.
pub fn numbers(spec: &Object, tasks: &[&Object]) -> Rule {
    let mut total = 0;
    for task in tasks {
        let (replicas, min) = (number(task, "replicas")?, number(task, "minAvailable")?);
        holds((0..=replicas).contains(&min), || format!("minAvailable {min} of {replicas} replicas"))?;
        total += replicas;
        if let Some(policy) = part(task, "partitionPolicy")? {
            let places = number(policy, "totalPartitions")? * number(policy, "partitionSize")?;
            holds(places == replicas, || format!("{replicas} replicas in {places} places of partitions"))?;
        }
    }
    let min = number(spec, "minAvailable")?;
    holds((0..=total).contains(&min), || format!("minAvailable {min} of {total} pods"))
}

fn may_be_task(task: &Object) -> Rule {
    let name = text(task, "name")?;
    holds(name.is_empty() || is_label(name), || format!("name {name:?}"))?;
    holds(number(task, "maxRetry")? >= 0, || "maxRetry is negative".to_owned())?;
    policies::may_be(task)?;
    if let Some(policy) = part(task, "partitionPolicy")? {
        topology(policy)?;
        let (min, size) = (number(policy, "minPartitions")?, number(policy, "partitionSize")?);
        let says_min = task.get("minAvailable").is_some_and(|value| !value.is_null());
        let fits = !says_min || min <= 0 || number(task, "minAvailable")? == min * size;
        holds(fits, || "minAvailable is not that of the partitions".to_owned())?;
    }
    let template = part(task, "template")?.ok_or("no template")?;
    let pod = part(template, "spec")?.ok_or("no pod")?;
    let containers = items(pod, "containers")?;
    holds(!containers.is_empty(), || "no containers".to_owned())?;
    let is_placed = ["best-effort", "restricted", "single-numa-node"].contains(&text(task, "topologyPolicy")?);
    for container in containers.into_iter().chain(items(pod, "initContainers")?) {
        resources(container, is_placed)?;
    }
    Ok(())
}

/// (VJ-083, VJ-089)
fn resources(container: &Object, needs_cpus: bool) -> Rule {
    let mut has_cpus = false;
    if let Some(resources) = part(container, "resources")? {
        for list in ["requests", "limits"] {
            for (name, quantity) in part(resources, list)?.into_iter().flatten() {
                // A plain number is one, too.
                let quantity = match quantity {
                    Value::String(text) => text.clone(),
                    Value::Number(number) => number.to_string(),
                    _ => String::new(),
                };
                let of_quantities = |c: char| c.is_ascii_digit() || "+-.eEinumkKMGTP".contains(c);
                let is_one = quantity.chars().all(of_quantities) && quantity.contains(|c: char| c.is_ascii_digit());
                holds(is_one, || format!("quantity {quantity:?}"))?;
                has_cpus |= name == "cpu";
            }
        }
    }
    holds(has_cpus || !needs_cpus, || "a topology policy without CPUs".to_owned())
}

/// (VJ-084) The name of a job; none if the API server makes it.
fn job_name(job: &Object) -> Result<Option<&str>, String> {
    let metadata = part(job, "metadata")?.ok_or("no metadata")?;
    let name = text(metadata, "name")?;
    if name.is_empty() && !text(metadata, "generateName")?.is_empty() {
        return Ok(None);
    }
    may_be_name(name).map(|()| Some(name))
}

fn may_be_name(name: &str) -> Rule {
    let ends = |c: char| c.is_ascii_alphanumeric();
    let fits = name.len() <= 63 && name.starts_with(ends) && name.ends_with(ends);
    holds(fits && name.chars().all(|c| ends(c) || "-_.".contains(c)), || format!("name {name:?}"))
}

/// (VJ-052)
fn is_label(name: &str) -> bool {
    let end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= 63 && name.starts_with(end) && name.ends_with(end) && name.chars().all(|c| end(c) || c == '-')
}

/// (VJ-073, VJ-086)
fn plugins(spec: &Object, tasks: &[&str]) -> Rule {
    let Some(plugins) = part(spec, "plugins")? else { return Ok(()) };
    for (name, arguments) in plugins {
        holds(PLUGINS.contains(&name.as_str()), || format!("plugin {name:?}"))?;
        let arguments = arguments.as_array().ok_or("arguments that are no list")?;
        holds(arguments.iter().all(Value::is_string), || "an argument that is no text".to_owned())?;
    }
    let arguments = plugins.get("mpi").and_then(Value::as_array).map(Vec::as_slice);
    let master = match arguments {
        Some([]) => "master",
        Some([Value::String(one)]) => one.strip_prefix("--master=").unwrap_or("master"),
        _ => return Ok(()),
    };
    holds(tasks.contains(&master), || format!("no master {master:?}"))
}

/// (VJ-053, VJ-074 to VJ-077)
fn volumes(spec: &Object) -> Rule {
    let mut paths = BTreeSet::new();
    for volume in items(spec, "volumes")? {
        let (path, name) = (text(volume, "mountPath")?, text(volume, "volumeClaimName")?);
        holds(!path.is_empty() && paths.insert(path), || format!("mountPath {path:?}, empty or again"))?;
        let claim = part(volume, "volumeClaim")?;
        holds(claim.is_some() == name.is_empty(), || "a claim and its name, or neither".to_owned())?;
        let is_subdomain = name.len() <= 253 && name.split('.').all(is_label);
        holds(name.is_empty() || is_subdomain, || format!("volumeClaimName {name:?}"))?;
    }
    Ok(())
}

/// (VJ-082) Every task comes after those that it waits for.
fn is_acyclic(tasks: &[&Object], names: &[&str]) -> Rule {
    let mut waiting = Vec::new();
    for (name, task) in names.iter().zip(tasks) {
        let needed =
            part(task, "dependsOn")?.and_then(|depends| depends.get("name")).filter(|needed| !needed.is_null());
        let needed = needed.map_or(Some(&[][..]), |needed| needed.as_array().map(Vec::as_slice));
        let needed: Option<Vec<&str>> = needed.ok_or("dependsOn.name is no list")?.iter().map(Value::as_str).collect();
        waiting.push((*name, needed.ok_or("dependsOn.name has no names")?));
    }
    let mut placed = BTreeSet::new();
    loop {
        let before = placed.len();
        waiting.retain(|(name, needed)| {
            let is_next = needed.iter().all(|needed| placed.contains(needed));
            if is_next {
                placed.insert(*name);
            }
            !is_next
        });
        if waiting.is_empty() || placed.len() == before {
            return holds(waiting.is_empty(), || format!("{} tasks have no order", waiting.len()));
        }
    }
}

/// (VJ-088)
fn topology(of: &Object) -> Rule {
    let Some(limit) = part(of, "networkTopology")? else { return Ok(()) };
    let by_number = limit.get("highestTierAllowed").is_some_and(|tier| !tier.is_null());
    holds(!by_number || text(limit, "highestTierName")?.is_empty(), || "two tiers".to_owned())
}
