//! Which change wakes what, and how soon.

use jobsworth_controller_runtime::feed::Resource;
use rstest::rstest;
use serde_json::{Value, json, value::RawValue};
use tokio::time::{Instant, timeout};

use super::*;

fn handlers(role: Role) -> EventHandlers {
    EventHandlers::new(role, Gates::V1_36, 5, 5, Arc::new(Metrics::default()))
}

fn decode<K: Resource>(object: &Value) -> K {
    K::decode(&RawValue::from_string(object.to_string()).unwrap()).unwrap()
}

/// Version 1 of the Job `name` with the label selector `app=a`; `change` sets other fields.
fn job(name: &str, change: impl Fn(&mut Value)) -> CachedJob {
    let mut object = json!({
        "metadata": {"name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": "1", "generation": 1},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {}, "spec": {"containers": []}}},
    });
    change(&mut object);
    decode(&object)
}

fn pod(revision: u64, owner: Option<&str>, phase: &str) -> CachedPod {
    labelled_pod(revision, owner, phase, "a")
}

fn labelled_pod(revision: u64, owner: Option<&str>, phase: &str, app: &str) -> CachedPod {
    let reference = |name: &str| {
        let uid = format!("uid-{name}");
        json!([{"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": true}])
    };
    decode(&json!({
        "metadata": {
            "name": "p", "namespace": "ns", "uid": "uid-p", "resourceVersion": revision.to_string(), "labels": {"app": app},
            "finalizers": ["batch.kubernetes.io/job-tracking"], "ownerReferences": owner.map_or(json!([]), reference),
        },
        "status": {"phase": phase},
    }))
}

fn finish(object: &mut Value) {
    object["status"] = json!({"conditions": [{"type": "Complete", "status": "True"}]});
    object["metadata"]["resourceVersion"] = json!("9");
}

/// The names that come out of a queue within ten seconds, each with the milliseconds after which it came.
async fn woken(queue: &WorkQueue<Key>) -> Vec<(String, u128)> {
    let start = Instant::now();
    let mut names = Vec::new();
    while let Ok(Some(key)) = timeout(Duration::from_secs(10), queue.take()).await {
        names.push((key.name.to_string(), start.elapsed().as_millis()));
        queue.finish(key, jobsworth_controller_runtime::queue::Outcome::Done(None));
    }
    names
}

fn at(name: &str, millis: u128) -> Vec<(String, u128)> {
    vec![(name.to_owned(), millis)]
}

/// (SYN-002, SYN-003)
#[rstest]
#[case::a_status(|object: &mut Value| object["status"] = json!({"active": 1}), 1000)]
#[case::a_spec(|object: &mut Value| object["metadata"]["generation"] = json!(2), 0)]
#[case::a_deletion(|object: &mut Value| object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z"), 0)]
#[tokio::test(start_paused = true)]
async fn a_change_of_a_job(#[case] change: fn(&mut Value), #[case] millis: u128) {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Applied(job("a", |_| {})));
    assert_eq!(woken(&handlers.sync).await, at("a", 0), "a new Job");
    let newer = |object: &mut Value| {
        object["metadata"]["resourceVersion"] = json!("2");
        change(object);
    };
    handlers.job_change(Change::Applied(job("a", newer)));
    assert_eq!(woken(&handlers.sync).await, at("a", millis));
    handlers.job_change(Change::Deleted(job("a", |object| object["metadata"]["resourceVersion"] = json!("3"))));
    assert_eq!(woken(&handlers.sync).await, at("a", 0), "a Job that is gone");
}

/// (SLO-009)
#[tokio::test(start_paused = true)]
async fn small_jobs_come_before_large_ones() {
    let handlers = handlers(Role::BuiltIn);
    let of = |pods: u32| {
        move |object: &mut Value| {
            object["spec"]["parallelism"] = json!(pods);
            object["spec"]["completions"] = json!(pods);
        }
    };
    let objects = vec![job("large", of(400)), job("medium", of(20)), job("small", of(1)), job("done", finish)];
    handlers.job_change(Change::Listed { objects, revision: 9 });
    let names: Vec<String> = woken(&handlers.sync).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["done", "small", "medium", "large"]);
}

/// (SLO-009)
#[tokio::test(start_paused = true)]
async fn a_job_that_ends_comes_before_one_that_begins() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Applied(job("a", |_| {})));
    woken(&handlers.sync).await;
    let newer = |object: &mut Value| object["metadata"]["resourceVersion"] = json!("2");
    handlers.job_change(Change::Applied(job("begins", newer)));
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Succeeded")));
    let names: Vec<String> = woken(&handlers.sync).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "begins"]);
}

/// Its pods are gathered for a second, unless the last live one has ended (SYN-003, SYN-006, SYN-009).
#[tokio::test(start_paused = true)]
async fn a_change_of_a_pod() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Listed { objects: vec![job("a", |_| {}), job("b", |_| {})], revision: 1 });
    woken(&handlers.sync).await;
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Running")));
    assert_eq!(woken(&handlers.sync).await, at("a", 1000));
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Running")));
    assert_eq!(woken(&handlers.sync).await, [], "the same version again");
    handlers.pod_change(Change::Applied(pod(6, Some("b"), "Running")));
    let mut both: Vec<String> = woken(&handlers.sync).await.into_iter().map(|(name, _)| name).collect();
    both.sort();
    assert_eq!(both, ["a", "b"], "the one that had it and the one that has it");
    handlers.pod_change(Change::Applied(pod(7, Some("b"), "Failed")));
    assert_eq!(woken(&handlers.sync).await, at("b", 0), "nothing is left to wait for");
}

/// (SYN-010, SYN-028, FIN-016)
#[tokio::test(start_paused = true)]
async fn a_pod_without_a_controller_wakes_every_job_that_selects_it_or_else_the_clean_up() {
    let handlers = handlers(Role::BuiltIn);
    let other = |object: &mut Value| object["spec"]["selector"]["matchLabels"]["app"] = json!("other");
    let objects = vec![job("a", |_| {}), job("b", |_| {}), job("c", other)];
    handlers.job_change(Change::Listed { objects, revision: 1 });
    woken(&handlers.sync).await;
    handlers.pod_change(Change::Applied(pod(5, None, "Running")));
    let names: Vec<String> = woken(&handlers.sync).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!((names, woken(&handlers.orphans).await), (vec!["a".to_owned(), "b".to_owned()], vec![]));
    handlers.job_change(Change::Listed { objects: vec![], revision: 8 });
    handlers.pod_change(Change::Applied(pod(9, None, "Running")));
    assert_eq!(woken(&handlers.orphans).await, at("p", 0));
}

/// (SYN-010)
#[tokio::test(start_paused = true)]
async fn a_pod_without_a_controller_wakes_jobs_when_it_comes_and_when_its_labels_or_its_owner_change() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Listed { objects: vec![job("a", |_| {})], revision: 1 });
    woken(&handlers.sync).await;
    handlers.pod_change(Change::Applied(labelled_pod(5, None, "Pending", "b")));
    assert_eq!(woken(&handlers.sync).await, [], "nobody selects it");
    handlers.pod_change(Change::Applied(labelled_pod(6, None, "Pending", "a")));
    assert_eq!(woken(&handlers.sync).await, at("a", 1000), "its labels changed");
    handlers.pod_change(Change::Applied(labelled_pod(7, None, "Running", "a")));
    assert_eq!(woken(&handlers.sync).await, [], "its phase says nothing about who may want it");
    handlers.pod_change(Change::Applied(labelled_pod(8, Some("gone"), "Running", "a")));
    assert_eq!(woken(&handlers.sync).await, [], "somebody else has it");
    woken(&handlers.orphans).await;
    handlers.pod_change(Change::Applied(labelled_pod(9, None, "Running", "a")));
    assert_eq!(woken(&handlers.sync).await, at("a", 1000), "it lost its owner");
}

/// (MET-017)
#[tokio::test(start_paused = true)]
async fn an_event_of_a_pod_adds_its_job_once_and_only_when_the_time_has_come() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Applied(job("a", |_| {})));
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Pending")));
    woken(&handlers.sync).await;
    let adds = |count| format!("workqueue_adds_total{{name=\"job\"}} {count}\n");
    let depth = |count| format!("workqueue_depth{{name=\"job\"}} {count}\n");
    let before = handlers.metrics.text();
    assert!(before.contains(&adds(1)), "{before}");
    handlers.pod_change(Change::Applied(pod(6, Some("a"), "Running")));
    let gathering = handlers.metrics.text();
    assert!(gathering.contains(&adds(1)) && gathering.contains(&depth(0)), "a timer is no depth: {gathering}");
    tokio::time::advance(BATCH).await;
    let due = handlers.metrics.text();
    assert!(due.contains(&adds(2)) && due.contains(&depth(1)), "{due}");
    woken(&handlers.sync).await;
    let after = handlers.metrics.text();
    assert!(after.contains(&adds(2)) && after.contains(&depth(0)), "{after}");
}

/// The garbage collector takes the reference of a pod away before or after this watch shows what became of its Job
/// (FIN-016, SYN-028).
#[rstest]
#[case::the_deletion(|object: &mut Value| object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z"), false)]
#[case::the_end(|_: &mut Value| {}, true)]
#[tokio::test(start_paused = true)]
async fn an_orphaned_pod_is_released_although_its_event_comes_before_that_of_its_job(
    #[case] change: fn(&mut Value),
    #[case] gone: bool,
) {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Listed { objects: vec![job("a", |_| {})], revision: 2 });
    handlers.pod_change(Change::Listed { objects: vec![pod(2, Some("a"), "Running")], revision: 2 });
    handlers.pod_change(Change::Applied(pod(4, None, "Running")));
    assert_eq!(woken(&handlers.orphans).await, [], "the Job may adopt it");
    let newer = job("a", |object| {
        object["metadata"]["resourceVersion"] = json!("5");
        change(object);
    });
    handlers.job_change(if gone { Change::Deleted(newer) } else { Change::Applied(newer) });
    let names: Vec<String> = woken(&handlers.orphans).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["p"]);
}

/// (FIN-016)
#[tokio::test(start_paused = true)]
async fn an_orphaned_pod_that_another_job_may_adopt_is_left_to_it() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Listed { objects: vec![job("a", |_| {}), job("b", |_| {})], revision: 2 });
    handlers.pod_change(Change::Applied(pod(4, None, "Running")));
    handlers.job_change(Change::Deleted(job("a", |object| object["metadata"]["resourceVersion"] = json!("5"))));
    assert_eq!(woken(&handlers.orphans).await, []);
}

/// (FIN-011, SYN-028)
#[tokio::test(start_paused = true)]
async fn pods_of_a_finished_job_are_looked_at_once_more() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Applied(job("a", |_| {})));
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Succeeded")));
    assert_eq!(woken(&handlers.orphans).await, []);
    handlers.job_change(Change::Applied(job("a", finish)));
    assert_eq!(woken(&handlers.orphans).await, at("p", 1000));
}

/// Only Jobs, only finished ones with a TTL, only in place of the built-in controller, and from the first list on
/// (TTL-009, TTL-016, TTL-018, TTL-020).
#[rstest]
#[case::in_its_place(Role::BuiltIn, &["due"])]
#[case::beside_it(Role::Named("me/it".into()), &[])]
#[tokio::test(start_paused = true)]
async fn what_may_expire(#[case] role: Role, #[case] expected: &[&str]) {
    let handlers = handlers(role);
    let due = |object: &mut Value| {
        finish(object);
        object["spec"]["ttlSecondsAfterFinished"] = json!(0);
    };
    let unfinished = |object: &mut Value| object["spec"]["ttlSecondsAfterFinished"] = json!(0);
    let objects = vec![job("due", due), job("no-ttl", finish), job("unfinished", unfinished)];
    handlers.job_change(Change::Listed { objects, revision: 10 });
    handlers.pod_change(Change::Applied(pod(11, Some("due"), "Succeeded")));
    let names: Vec<String> = woken(&handlers.ttl).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, expected);
}

/// (MGB-006, MET-014, MET-009, MET-017, TTL-018, SYN-028)
#[tokio::test(start_paused = true)]
async fn jobs_of_others_ended_pods_and_keys_are_counted() {
    let handlers = handlers(Role::BuiltIn);
    let foreign = |object: &mut Value| object["spec"]["managedBy"] = json!("x/y");
    handlers.job_change(Change::Applied(job("a", foreign)));
    let newer = |object: &mut Value| {
        foreign(object);
        object["metadata"]["resourceVersion"] = json!("2");
    };
    handlers.job_change(Change::Applied(job("a", newer)));
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Succeeded")));
    handlers.pod_change(Change::Deleted(pod(6, Some("a"), "Succeeded")));
    let text = handlers.metrics.text();
    for line in [
        "job_controller_jobs_by_external_controller_total{controller_name=\"x/y\"} 1",
        "job_controller_terminated_pods_tracking_finalizer_total{event=\"add\"} 1",
        "job_controller_terminated_pods_tracking_finalizer_total{event=\"delete\"} 1",
        "workqueue_depth{name=\"job\"} 1",
        "workqueue_depth{name=\"job_orphan_pod\"} 0",
        "workqueue_depth{name=\"ttl_jobs_to_delete\"} 0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// A pod that cannot be read as a whole wakes its Job all the same, and is counted.
#[tokio::test(start_paused = true)]
async fn a_pod_with_a_field_that_cannot_be_read_is_counted_and_wakes_its_job() {
    let handlers = handlers(Role::BuiltIn);
    handlers.job_change(Change::Applied(job("a", |_| {})));
    handlers.pod_change(Change::Applied(pod(5, Some("a"), "Running")));
    woken(&handlers.sync).await;
    let reference = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "a", "uid": "uid-a", "controller": true}]);
    handlers.pod_change(Change::Applied(decode(&json!({
        "metadata": {"name": "p", "namespace": "ns", "uid": "uid-p", "resourceVersion": "6", "ownerReferences": reference,
            "finalizers": ["batch.kubernetes.io/job-tracking"]},
        "status": {"phase": "Failed", "containerStatuses": "none"},
    }))));
    assert_eq!(woken(&handlers.sync).await, at("a", 0));
    assert!(handlers.metrics.text().contains("jobsworth_unreadable_objects_total{resource=\"pods\"} 1"));
}
