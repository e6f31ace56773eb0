//! `tensorflow`: the cluster and the pod's place in it, as `TF_CONFIG` (VJ-291).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use serde::Serialize;

use super::{Scene, regular_containers, set};
use crate::names;

const ROLES: [&str; 4] = ["ps", "worker", "chief", "evaluator"];

#[derive(Serialize)]
struct Config<'a> {
    cluster: BTreeMap<&'a str, Vec<String>>,
    task: Place<'a>,
}

#[derive(Serialize)]
struct Place<'a> {
    #[serde(rename = "type")]
    role: &'a str,
    index: i32,
}

/// A single pod needs no configuration.
pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    if let [task] = scene.job.spec.tasks.as_slice()
        && task.replicas == 1
    {
        return;
    }
    let port = scene.arguments.number("port", 2222);
    let role = |name: &str| ROLES.into_iter().find(|role| scene.arguments.text(role, role) == name);
    let mut cluster = BTreeMap::new();
    for task in &scene.job.spec.tasks {
        let address = |index| {
            let (host, domain) = names::host(scene.job, task, index);
            format!("{host}.{domain}:{port}")
        };
        if let Some(role) = role(&task.name).filter(|_| task.replicas > 0) {
            cluster.insert(role, (0..names::replicas(task)).map(address).collect());
        }
    }
    let name = &scene.task.name;
    let place = Place { role: role(name).unwrap_or(name), index: scene.index };
    // Texts and numbers cannot fail to be written as JSON.
    let text = serde_json::to_string(&Config { cluster, task: place }).unwrap_or_default();
    for container in regular_containers(pod) {
        set(container, "TF_CONFIG", text.clone());
    }
}
