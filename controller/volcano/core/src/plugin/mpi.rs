//! `mpi`: the master knows its workers, and all listen for it (VJ-289).

use k8s_openapi::api::core::v1::Pod;

use super::{Scene, containers, open, set};
use crate::hosts;

pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    let arguments = &scene.arguments;
    let workers =
        scene.task_named(arguments.text("worker", "worker")).map(|task| hosts::of_task(scene.job, task).join(","));
    let workers = workers.filter(|_| scene.task.name == arguments.text("master", "master"));
    for container in containers(pod) {
        open(container, "mpijob-port", arguments.number("port", 22));
        if let Some(workers) = &workers {
            set(container, "MPI_HOST", workers.clone());
        }
    }
}
