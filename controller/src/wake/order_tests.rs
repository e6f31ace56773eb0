//! Which pods are released, with the two watches out of step.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::feed::Kind as _;

fn raw(object: &Value) -> Box<RawValue> {
    RawValue::from_string(object.to_string()).unwrap()
}

fn tracked_pod(revision: u64, owned: bool) -> CachedPod {
    let owner = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "uid-job", "controller": true}]);
    let object = json!({"metadata": {
        "name": "pod", "namespace": "ns", "uid": "uid-pod", "resourceVersion": revision.to_string(), "labels": {"app": "a"},
        "finalizers": ["batch.kubernetes.io/job-tracking"], "ownerReferences": if owned { owner } else { json!([]) },
    }});
    CachedPod::decode(&raw(&object)).unwrap()
}

fn job(revision: u64, change: Value) -> CachedJob {
    let mut object = json!({
        "metadata": {"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": revision.to_string()},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {}, "spec": {"containers": []}}},
    });
    for (pointer, value) in change.as_object().into_iter().flatten() {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        object.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    CachedJob::decode(&raw(&object)).unwrap()
}

/// A Job with one pod that both watches have seen.
fn world() -> World {
    let world = World::new(Role::BuiltIn, Gates::V1_36, 1, 1, Arc::default());
    world.job_change(Change::Listed { objects: vec![job(1, json!({}))], revision: 2 });
    world.pod_change(Change::Listed { objects: vec![tracked_pod(2, true)], revision: 2 });
    world
}

async fn is_released(world: &World) -> bool {
    tokio::time::timeout(Duration::from_secs(10), world.orphans.take()).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn an_orphaned_pod_is_released_although_its_event_comes_before_the_deletion_of_its_job() {
    let world = world();
    // Deleted with orphans: the garbage collector takes the reference away while this watch still shows a healthy Job.
    world.pod_change(Change::Applied(tracked_pod(4, false)));
    assert!(!is_released(&world).await, "the Job may adopt it");
    world.job_change(Change::Applied(job(3, json!({"/metadata/deletionTimestamp": "2026-01-01T00:00:00Z"}))));
    assert!(is_released(&world).await);
}

#[tokio::test(start_paused = true)]
async fn an_orphaned_pod_is_released_although_its_event_comes_before_the_end_of_its_job() {
    let world = world();
    world.pod_change(Change::Applied(tracked_pod(4, false)));
    world.job_change(Change::Deleted(job(5, json!({}))));
    assert!(is_released(&world).await);
}

#[tokio::test(start_paused = true)]
async fn an_orphaned_pod_that_another_job_may_adopt_is_left_to_it() {
    let world = world();
    world.job_change(Change::Applied(job(3, json!({"/metadata/name": "other", "/metadata/uid": "uid-other"}))));
    world.pod_change(Change::Applied(tracked_pod(4, false)));
    world.job_change(Change::Deleted(job(5, json!({}))));
    assert!(!is_released(&world).await);
}
