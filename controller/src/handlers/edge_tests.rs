//! When a Job is looked at at once: nothing is left to wait for, or one of its policies decides.

use jobsworth_controller_runtime::feed::Resource;
use jobsworth_controller_runtime::queue::Outcome;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::*;

fn raw(object: &Value) -> Box<RawValue> {
    RawValue::from_string(object.to_string()).unwrap()
}

fn job(policy: Value) -> CachedJob {
    CachedJob::decode(&raw(&json!({
        "metadata": {"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": "1"},
        "spec": {"completions": 3, "parallelism": 3, "completionMode": "Indexed", "successPolicy": policy,
            "podFailurePolicy": {"rules": [
                {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [41]}},
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}},
            ]},
            "selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {}, "spec": {"containers": []}}},
    })))
    .unwrap()
}

fn pod(index: u32, revision: u64, phase: &str) -> Change<CachedPod> {
    ended(index, revision, phase, &[])
}

/// A pod whose container has ended with these codes.
fn ended(index: u32, revision: u64, phase: &str, codes: &[i32]) -> Change<CachedPod> {
    let state = |code: &i32| json!({"name": "main", "state": {"terminated": {"exitCode": code}}});
    let containers: Vec<Value> = codes.iter().map(state).collect();
    let object = json!({
        "metadata": {
            "name": format!("pod-{index}"), "namespace": "ns", "uid": format!("uid-{index}"),
            "resourceVersion": revision.to_string(), "labels": {"app": "a"},
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "annotations": {"batch.kubernetes.io/job-completion-index": index.to_string()},
            "ownerReferences":
                [{"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "uid-job", "controller": true}],
        },
        "status": {"phase": phase, "containerStatuses": containers},
    });
    Change::Applied(CachedPod::decode(&raw(&object)).unwrap())
}

/// How long it takes until the Job is looked at.
async fn waited(handlers: &EventHandlers) -> Option<Duration> {
    let begun = Instant::now();
    let key = timeout(Duration::from_secs(60), handlers.sync.take()).await.ok().flatten()?;
    handlers.sync.finish(key, Outcome::Done(None));
    Some(begun.elapsed())
}

/// A Job with three running pods, looked at.
async fn running(policy: Value) -> EventHandlers {
    let handlers = EventHandlers::new(Role::BuiltIn, Gates::V1_36, 1, 1, Arc::default());
    handlers.job_change(Change::Applied(job(policy)));
    for index in 0..3 {
        handlers.pod_change(pod(index, 10 + u64::from(index), "Running"));
    }
    while waited(&handlers).await.is_some() {}
    handlers
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_meets_the_success_policy_wakes_its_job_at_once() {
    let handlers = running(json!({"rules": [{"succeededIndexes": "0,2"}]})).await;
    handlers.pod_change(pod(0, 20, "Succeeded"));
    assert_eq!(waited(&handlers).await, Some(BATCH), "index 2 is missing");
    handlers.pod_change(pod(2, 21, "Succeeded"));
    assert_eq!(waited(&handlers).await, Some(Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_pod_without_anything_to_decide_is_gathered_for_a_second() {
    let handlers = running(json!({"rules": [{"succeededIndexes": "0"}]})).await;
    handlers.pod_change(pod(1, 20, "Succeeded"));
    assert_eq!(waited(&handlers).await, Some(BATCH), "index 1 is in no rule");
    handlers.pod_change(pod(0, 21, "Failed"));
    assert_eq!(waited(&handlers).await, Some(BATCH), "index 0 failed");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_fails_its_job_by_the_failure_policy_wakes_it_at_once() {
    let handlers = running(Value::Null).await;
    handlers.pod_change(ended(0, 20, "Failed", &[1]));
    assert_eq!(waited(&handlers).await, Some(BATCH), "no rule matches");
    handlers.pod_change(ended(1, 21, "Failed", &[41]));
    assert_eq!(waited(&handlers).await, Some(BATCH), "this one is ignored");
    handlers.pod_change(ended(2, 22, "Running", &[42]));
    assert_eq!(waited(&handlers).await, Some(BATCH), "it has not failed yet");
    handlers.pod_change(ended(2, 23, "Failed", &[42]));
    assert_eq!(waited(&handlers).await, Some(Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn the_last_pod_of_all_that_are_wanted_wakes_its_job_at_once() {
    let handlers = running(Value::Null).await;
    for index in 0..2 {
        handlers.pod_change(pod(index, 20 + u64::from(index), "Succeeded"));
    }
    assert_eq!(waited(&handlers).await, Some(BATCH));
    handlers.pod_change(pod(2, 22, "Succeeded"));
    assert_eq!(waited(&handlers).await, Some(Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn pods_that_end_while_others_are_still_being_created_are_gathered() {
    let handlers = EventHandlers::new(Role::BuiltIn, Gates::V1_36, 1, 1, Arc::default());
    handlers.job_change(Change::Applied(job(Value::Null)));
    assert_eq!(waited(&handlers).await, Some(Duration::ZERO), "a new Job");
    for index in 0..2 {
        handlers.pod_change(pod(index, 10 + u64::from(index), "Succeeded"));
    }
    assert_eq!(waited(&handlers).await, Some(BATCH), "one of three is missing");
    handlers.pod_change(pod(2, 12, "Succeeded"));
    assert_eq!(waited(&handlers).await, Some(Duration::ZERO));
}
