//! What wakes whom when the watches of Jobs and pods are not in step.

use std::time::Duration;

use serde_json::{Value, json, value::RawValue};
use tokio::time::timeout;

use super::*;
use crate::feed::Kind;

fn raw(object: &Value) -> Box<RawValue> {
    RawValue::from_string(object.to_string()).unwrap()
}

fn job(revision: u64, deleting: bool) -> CachedJob {
    let mut object = json!({
        "metadata": {"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": revision.to_string()},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {}, "spec": {"containers": []}}},
    });
    if deleting {
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        object["metadata"]["finalizers"] = json!(["orphan"]);
    }
    CachedJob::decode(&raw(&object)).unwrap()
}

fn pod(revision: u64, owned: bool) -> CachedPod {
    let reference = json!([
        {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "uid-job", "controller": true},
    ]);
    let object = json!({"metadata": {
        "name": "pod", "namespace": "ns", "uid": "uid-pod", "resourceVersion": revision.to_string(),
        "labels": {"app": "a"}, "finalizers": ["batch.kubernetes.io/job-tracking"],
        "ownerReferences": if owned { reference } else { json!([]) },
    }});
    CachedPod::decode(&raw(&object)).unwrap()
}

/// A Job with one pod, both long known.
fn world() -> World {
    let world = World::new(Role::BuiltIn, Gates::V1_36, 1, 1, Arc::default());
    world.job_change(Change::Listed { objects: vec![job(1, false)], revision: 2 });
    world.pod_change(Change::Listed { objects: vec![pod(2, true)], revision: 2 });
    world
}

async fn orphan(world: &World) -> Option<String> {
    timeout(Duration::from_secs(5), world.orphans.take()).await.ok().flatten().map(|key| key.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_lost_its_reference_before_the_deletion_was_seen_is_freed_when_it_is() {
    let world = world();
    world.pod_change(Change::Applied(pod(4, false)));
    assert_eq!(orphan(&world).await, None, "the Job may adopt it, as far as anybody knows");
    world.job_change(Change::Applied(job(3, true)));
    assert_eq!(orphan(&world).await.as_deref(), Some("ns/pod"));
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_lost_its_reference_is_freed_when_the_job_is_gone_unseen() {
    let world = world();
    world.pod_change(Change::Applied(pod(4, false)));
    assert_eq!(orphan(&world).await, None, "the Job may adopt it, as far as anybody knows");
    world.job_change(Change::Deleted(job(5, false)));
    assert_eq!(orphan(&world).await.as_deref(), Some("ns/pod"));
}
