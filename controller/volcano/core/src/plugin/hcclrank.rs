//! `hcclrank`: the rank of a pod as an annotation (VJ-293).

use k8s_openapi::api::core::v1::Pod;

use super::{Scene, regular_containers};

const KEY: &str = "hccl/rankIndex";

/// A rank that is there stays. Else it is what containers are told, or follows from the task.
pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    let told = regular_containers(pod).flat_map(|container| container.env.iter().flatten());
    let told = told.filter(|variable| variable.name == "RANK").find_map(|variable| variable.value.clone());
    let (master, worker) = (scene.arguments.text("master", "master"), scene.arguments.text("worker", "worker"));
    let of_task = match &scene.task.name {
        name if name == master => Some(scene.index),
        name if name == worker => {
            let masters = scene.task_named(master).map_or(0, |task| task.replicas);
            Some(masters.saturating_add(scene.index))
        }
        _ => None,
    };
    let rank = told.filter(|rank| !rank.is_empty()).or_else(|| of_task.map(|rank| rank.to_string()));
    let annotations = pod.metadata.annotations.get_or_insert_default();
    if let Some(rank) = rank
        && annotations.get(KEY).is_none_or(String::is_empty)
    {
        annotations.insert(KEY.to_owned(), rank);
    }
}
