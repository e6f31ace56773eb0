//! Each bug shows in the situation that it is about; without it the same situation is mastered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::ConditionKind::{FailureTarget, SuccessCriteriaMet};
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller::parts::{Decide, SyncContext};
use jobsworth_controller_runtime::feed::{Change, Resource};
use jobsworth_core::{Action, Decision, Failure, Gates, Limits, Memory, Outcome, PodView, Requeue, Snapshot};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::call::Call;
use crate::decorated_core::DecoratedCore;
use crate::decorator::{Decorator, Fate, Nothing};
use crate::observed::statuses;
use crate::roster;

const CREATED: &str = "2026-01-01T00:00:00Z";
const FINALIZER: &str = "batch.kubernetes.io/job-tracking";

/// A controller, and what it sees.
struct World {
    bug: Arc<dyn Decorator>,
    core: DecoratedCore,
    job: Value,
    pods: Vec<Value>,
    memory: Memory,
    gates: Gates,
    /// How old the Job is, in seconds.
    age: i64,
}

/// The same world before the controller with this bug, and before the one without.
fn with_and_without(number: &str, spec: &Value, status: &Value, pods: &[Value]) -> [World; 2] {
    let bugs: [Arc<dyn Decorator>; 2] = [roster::decorator(number).unwrap(), Arc::new(Nothing)];
    bugs.map(|bug| {
        let mut job = json!({
            "metadata": {"name": "j", "namespace": "ns", "uid": "u", "resourceVersion": "10", "generation": 1,
                "creationTimestamp": CREATED},
            "spec": {"parallelism": 1, "selector": {"matchLabels": {"app": "a"}},
                "template": {"metadata": {}, "spec": {"containers": [], "restartPolicy": "Never"}}},
            "status": status,
        });
        for (field, value) in spec.as_object().unwrap() {
            job["spec"][field] = value.clone();
        }
        let (core, pods, memory) = (DecoratedCore::new(Arc::clone(&bug)), pods.to_vec(), Memory::default());
        World { bug, core, job, pods, memory, gates: Gates::V1_36, age: 60 }
    })
}

impl World {
    fn now(&self) -> Timestamp {
        CREATED.parse::<Timestamp>().unwrap() + SignedDuration::from_secs(self.age)
    }

    fn look(&self) -> Decision {
        let (job, mut cache) = (decode::<CachedJob>(&self.job), Pods::default());
        cache.apply(Change::Listed { objects: self.pods.iter().map(decode::<CachedPod>).collect(), revision: 50 });
        let pods = self.core.pods(&job, &cache);
        let views: Vec<&PodView> = pods.iter().map(|pod| &pod.view).collect();
        let seen = Snapshot { job: &job.view, pods: &views, pods_revision: 50 };
        let (memory, gates, now) = (&self.memory, &self.gates, self.now());
        self.core.reconcile(&job, &SyncContext { seen, memory, now, gates, limits: &Limits::UPSTREAM })
    }

    fn go_on(&self, decision: Decision, outcomes: &[Vec<Outcome>]) -> Decision {
        self.core.after(&decode(&self.job), decision.awaiting.unwrap(), outcomes, self.now())
    }
}

fn decode<K: Resource>(object: &Value) -> K {
    K::decode(&RawValue::from_string(object.to_string()).unwrap()).unwrap()
}

/// A pod of the Job `u`, with the finalizer.
fn pod(name: &str, phase: &str) -> Value {
    let owner = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": true});
    json!({
        "metadata": {"name": name, "namespace": "ns", "uid": name, "resourceVersion": "20", "labels": {"app": "a"},
            "finalizers": [FINALIZER], "ownerReferences": [owner], "creationTimestamp": CREATED},
        "status": {"phase": phase},
    })
}

fn stopping(name: &str, phase: &str) -> Value {
    let mut pod = pod(name, phase);
    pod["metadata"]["deletionTimestamp"] = CREATED.into();
    pod
}

fn call(method: http::Method, path: &str, body: Value) -> Call {
    Call { method, path: path.to_owned(), query: String::new(), content: None, body }
}

fn count(decision: &Decision, is_one: fn(&Action) -> bool) -> usize {
    decision.batches.iter().flat_map(|batch| &batch.actions).filter(|action| is_one(action)).count()
}

fn creations(decision: &Decision) -> usize {
    count(decision, |action| matches!(action, Action::CreatePod(_)))
}

fn one_policy() -> Value {
    let (rules, mode) = (json!([{"succeededIndexes": "0"}]), "Indexed");
    json!({"parallelism": 2, "completions": 2, "completionMode": mode, "successPolicy": {"rules": rules}})
}

#[test]
fn a_job_that_has_ended_gets_a_pod_while_the_cache_is_behind() {
    let worlds =
        with_and_without("M193", &json!({"completions": 1}), &json!({"startTime": CREATED}), &[pod("p", "Succeeded")]);
    let created = worlds.map(|mut world| {
        let done = |revision| vec![Outcome::Done { revision }];
        let counted = world.go_on(world.look(), &[done(11), done(12)]);
        world.memory = world.go_on(counted, &[done(13)]).memory;
        world.pods[0]["metadata"]["finalizers"] = json!([]);
        creations(&world.look())
    });
    assert_eq!(created, [1, 0]);
}

#[test]
fn a_pod_that_no_sync_frees_is_freed_once() {
    let [world, _] = with_and_without("M194", &json!({"completions": 1}), &json!({}), &[pod("p", "Succeeded")]);
    let is_sent = |uid: &str| {
        let body = json!({"metadata": {"uid": uid, "$deleteFromPrimitiveList/finalizers": [FINALIZER]}});
        let mut call = call(http::Method::PATCH, &format!("/api/v1/namespaces/ns/pods/{uid}"), body);
        matches!(world.bug.ask(&mut call), Fate::Send)
    };
    world.look();
    assert_eq!([is_sent("p"), is_sent("p")], [true, true], "its sync is under way");
    assert_eq!([is_sent("o"), is_sent("o")], [true, false], "it is taken for done");
}

#[test]
fn a_controller_of_another_kind_is_taken_for_a_job() {
    let bug = roster::decorator("M195").unwrap();
    let mut pod = pod("p", "Running");
    pod["metadata"]["ownerReferences"][0]["kind"] = "ReplicaSet".into();
    bug.show(&call(http::Method::GET, "/api/v1/pods", Value::Null), &mut pod);
    assert!(decode::<CachedPod>(&pod).view.owner.unwrap().is_job);
}

#[test]
fn a_success_after_a_declared_failure_is_written_without_an_end() {
    let failure = json!({"type": "FailureTarget", "status": "True", "reason": "BackoffLimitExceeded"});
    let status = json!({"startTime": CREATED, "conditions": [failure]});
    let mut succeeded = pod("p", "Succeeded");
    succeeded["metadata"]["annotations"] = json!({"batch.kubernetes.io/job-completion-index": "0"});
    succeeded["metadata"]["finalizers"] = json!([]);
    let worlds = with_and_without("M196", &one_policy(), &status, &[succeeded, stopping("q", "Running")]);
    let both = worlds.each_ref().map(|world| statuses(&world.look()).any(|status| status.holds(SuccessCriteriaMet)));
    assert_eq!(both, [true, false]);
    let refused = vec![vec![Outcome::Failed(Failure::Other("Invalid".to_owned()))], vec![Outcome::Skipped]];
    let end = worlds[0].go_on(worlds[0].look(), &refused);
    assert_eq!((end.batches.len(), end.requeue), (0, Requeue::Failed));
}

#[test]
fn only_pods_without_an_index_get_another_name() {
    let bug = roster::decorator("M197").unwrap();
    let renamed = |name: &str, index: Option<&str>| {
        let mut pod = pod(name, "Pending");
        if let Some(index) = index {
            pod["metadata"]["annotations"] = json!({"batch.kubernetes.io/job-completion-index": index});
        }
        let mut call = call(http::Method::POST, "/api/v1/namespaces/ns/pods", pod);
        bug.ask(&mut call);
        call.body["metadata"]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(renamed("j-abcde", None), "j--1-abcde");
    assert_eq!(renamed("j-3-abcde", Some("3")), "j-3-abcde");
}

#[test]
fn it_panics_only_while_more_stop_than_are_wanted() {
    let panics = |pods: &[Value]| {
        let worlds = with_and_without("M198", &json!({"completions": 5}), &json!({}), pods);
        worlds.map(|world| catch_unwind(AssertUnwindSafe(|| world.look())).is_err())
    };
    assert_eq!(panics(&[stopping("p", "Running"), pod("q", "Running")]), [false, false]);
    assert_eq!(panics(&[stopping("p", "Running"), stopping("q", "Running")]), [true, false]);
}

#[test]
fn a_failure_target_that_is_false_decides() {
    let target = json!({"type": "FailureTarget", "status": "False", "reason": "Others"});
    let status = json!({"startTime": CREATED, "conditions": [target]});
    let worlds = with_and_without("M199", &json!({"completions": 1}), &status, &[pod("p", "Running")]);
    let fails = worlds.map(|world| statuses(&world.look()).any(|status| status.holds(FailureTarget)));
    assert_eq!(fails, [true, false]);
}

#[test]
fn a_new_job_has_to_settle() {
    let worlds = with_and_without("M200", &json!({"completions": 1}), &json!({}), &[]);
    let created = worlds.map(|mut world| {
        [2, 8].map(|age| {
            world.age = age;
            creations(&world.look())
        })
    });
    assert_eq!(created, [[0, 1], [1, 1]]);
}

#[test]
fn a_job_with_pods_is_looked_at_all_the_time() {
    let status = json!({"startTime": CREATED, "active": 1, "ready": 0, "terminating": 0});
    let worlds = with_and_without("M201", &json!({"completions": 1}), &status, &[pod("p", "Running")]);
    let next = worlds.map(|world| world.look().requeue);
    assert_eq!(next, [Requeue::After(SignedDuration::from_millis(50)), Requeue::No]);
}

#[test]
fn a_pod_that_was_deleted_while_it_waited_does_not_end() {
    let spec = json!({"completions": 1, "podReplacementPolicy": "Failed"});
    let worlds = with_and_without("M202", &spec, &json!({"startTime": CREATED}), &[stopping("p", "Pending")]);
    let replaced = worlds.map(|mut world| {
        world.look();
        world.pods[0] = stopping("p", "Failed");
        creations(&world.look())
    });
    assert_eq!(replaced, [0, 1]);
}

#[test]
fn a_pod_of_another_job_is_surplus() {
    let mut other = pod("q", "Running");
    other["metadata"]["ownerReferences"][0]["uid"] = "other".into();
    let worlds = with_and_without("M203", &json!({"completions": 1}), &json!({}), &[pod("p", "Running"), other]);
    let stopped = worlds.map(|world| count(&world.look(), |action| matches!(action, Action::StripAndDelete { .. })));
    assert_eq!(stopped, [1, 0]);
}
