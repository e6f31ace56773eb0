//! Jobs, pods and groups to decide about.

use jiff::Timestamp;
use jobsworth_volcano_api::{Job, PodGroup};
use jobsworth_volcano_core::PodView;
use k8s_openapi::api::core::v1::{ContainerState, ContainerStateTerminated, ContainerStatus, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

pub fn start() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// A job named `j` with this spec, as it stands after admission.
pub fn job(spec: Value) -> Job {
    let mut job: Job = serde_json::from_value(json!({
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "7"},
        "spec": spec,
    }))
    .unwrap();
    job.metadata.creation_timestamp = Some(Time(start()));
    for task in &mut job.spec.tasks {
        task.min_available.get_or_insert(task.replicas);
    }
    if job.spec.min_available == 0 {
        job.spec.min_available = job.spec.tasks.iter().filter_map(|task| task.min_available).sum();
    }
    if job.spec.queue.is_empty() {
        job.spec.queue = "default".to_owned();
    }
    job
}

/// A task with a pod template of one container.
pub fn task(name: &str, replicas: i32) -> Value {
    json!({"name": name, "replicas": replicas, "template": {"spec": {"containers": [{"name": "main"}]}}})
}

/// What a pod's container came to.
pub fn end(pod: &mut Pod, code: i32, at: Timestamp) {
    let terminated = ContainerStateTerminated {
        exit_code: code,
        finished_at: Some(Time(at)),
        ..ContainerStateTerminated::default()
    };
    let state = ContainerState { terminated: Some(terminated), ..ContainerState::default() };
    let status = ContainerStatus { name: "main".to_owned(), state: Some(state), ..ContainerStatus::default() };
    let phase = if code == 0 { "Succeeded" } else { "Failed" };
    pod.status = Some(PodStatus {
        phase: Some(phase.to_owned()),
        container_statuses: Some(vec![status]),
        ..PodStatus::default()
    });
}

pub fn run(pod: &mut Pod, restarts: i32) {
    let status =
        ContainerStatus { name: "main".to_owned(), ready: true, restart_count: restarts, ..ContainerStatus::default() };
    pod.status = Some(PodStatus {
        phase: Some("Running".to_owned()),
        container_statuses: Some(vec![status]),
        ..PodStatus::default()
    });
}

pub fn view(pod: &Pod) -> PodView {
    PodView::read(pod).unwrap()
}

pub fn set_phase(group: &mut PodGroup, phase: &str) {
    group.status = Some(serde_json::from_value(json!({"phase": phase})).unwrap());
}
