//! Each bug shows in the situation that it is about; without it the same situation is mastered.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::{ConditionKind, Resource};
use jobsworth_controller::cache::{CachedJob, CachedPod};
use jobsworth_controller::parts::{Decide, SyncContext};
use jobsworth_controller_runtime::feed;
use jobsworth_core::{Decision, Gates, Limits, Memory, PodView, Requeue, Snapshot, Status};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::call::{Answer, Call};
use crate::decorated_core::DecoratedCore;
use crate::decorator::{Decorator, Nothing};
use crate::observed::statuses;
use crate::{Observed, roster};

const CREATED: &str = "2026-01-01T00:00:00Z";

/// A controller, and what it sees.
struct World {
    bug: Arc<dyn Decorator>,
    core: DecoratedCore,
    job: Value,
    pods: Vec<Value>,
    /// How old the Job is, in seconds.
    age: i64,
}

impl World {
    fn of(bug: Arc<dyn Decorator>, spec: &Value, status: &Value, phases: &[&str]) -> Self {
        let mut job = json!({
            "metadata": {"name": "j", "namespace": "ns", "uid": "u", "resourceVersion": "10", "generation": 1,
                "creationTimestamp": CREATED},
            "spec": {"parallelism": 1, "completions": 1, "selector": {"matchLabels": {"app": "a"}},
                "template": {"metadata": {}, "spec": {"containers": [], "restartPolicy": "Never"}}},
            "status": {"ready": 0, "terminating": 0},
        });
        for (part, fields) in [("spec", spec), ("status", status)] {
            for (field, value) in fields.as_object().unwrap() {
                job[part][field] = value.clone();
            }
        }
        let core = DecoratedCore::new(Arc::clone(&bug));
        World { bug, core, job, pods: phases.iter().map(|phase| pod(phase)).collect(), age: 60 }
    }

    fn with<T>(&self, look: impl FnOnce(&CachedJob, &SyncContext<'_>) -> T) -> T {
        let job = decode::<CachedJob>(&self.job);
        let pods: Vec<CachedPod> = self.pods.iter().map(decode).collect();
        let views: Vec<&PodView> = pods.iter().map(|pod| &pod.view).collect();
        let seen = Snapshot { job: &job.view, pods: &views, pods_revision: 50 };
        let now = CREATED.parse::<Timestamp>().unwrap() + SignedDuration::from_secs(self.age);
        let (memory, gates, limits) = (&Memory::default(), &Gates::V1_36, &Limits::UPSTREAM);
        look(&job, &SyncContext { seen, memory, now, gates, limits })
    }

    fn look(&self) -> Decision {
        self.with(|job, look| self.core.reconcile(job, look))
    }

    /// What a look writes first, if it does anything.
    fn status(&self) -> Option<Status> {
        statuses(&self.look()).next().cloned()
    }

    fn is_idle(&self) -> bool {
        let decision = self.look();
        decision.batches.is_empty() && decision.awaiting.is_none()
    }
}

/// The same world before the controller with this bug, and before the one without.
fn with_and_without(number: &str, spec: &Value, status: &Value, phases: &[&str]) -> [World; 2] {
    let bugs: [Arc<dyn Decorator>; 2] = [roster::decorator(number).unwrap(), Arc::new(Nothing)];
    bugs.map(|bug| World::of(bug, spec, status, phases))
}

fn decode<K: feed::Resource>(object: &Value) -> K {
    K::decode(&RawValue::from_string(object.to_string()).unwrap()).unwrap()
}

/// A pod of the Job `u`, with the finalizer.
fn pod(phase: &str) -> Value {
    let owner = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": true});
    json!({
        "metadata": {"name": "p", "namespace": "ns", "uid": "p", "resourceVersion": "20", "labels": {"app": "a"},
            "finalizers": ["batch.kubernetes.io/job-tracking"], "ownerReferences": [owner], "creationTimestamp": CREATED},
        "status": {"phase": phase},
    })
}

fn condition(kind: &str) -> Value {
    json!([{"type": kind, "status": "True", "lastProbeTime": CREATED, "lastTransitionTime": CREATED}])
}

fn running() -> Value {
    json!({"startTime": CREATED, "active": 1})
}

#[test]
fn a_suspension_is_probed_with_each_look() {
    let status = json!({"conditions": condition("Suspended")});
    let [bad, good] = with_and_without("M244", &json!({"suspend": true}), &status, &[]);
    assert!(good.is_idle());
    let probe = |status: Status| status.condition(ConditionKind::Suspended).and_then(|it| it.last_probe).unwrap();
    assert_eq!(bad.status().map(probe).unwrap().to_string(), "2026-01-01T00:01:00Z");
}

#[test]
fn an_edit_of_a_finished_job_is_answered_with_its_status() {
    let status = json!({"startTime": CREATED, "succeeded": 1, "conditions": condition("Complete")});
    let [mut bad, mut good] = with_and_without("M245", &json!({}), &status, &[]);
    for world in [&mut bad, &mut good] {
        assert!(world.is_idle());
        world.job["metadata"]["generation"] = 2.into();
    }
    assert!(good.is_idle());
    assert_eq!(bad.status(), Some(decode::<CachedJob>(&bad.job).view.status));
    assert!(bad.is_idle());
}

#[test]
fn no_stopping_pods_come_and_go() {
    let status = json!({"startTime": CREATED, "active": 1, "failed": 1});
    let [mut bad, good] = with_and_without("M246", &json!({}), &status, &["Running"]);
    assert!(good.is_idle());
    assert_eq!(bad.status().unwrap().terminating, None);
    bad.job["status"]["terminating"] = Value::Null;
    assert_eq!(bad.status().unwrap().terminating, Some(0));
}

#[test]
fn the_seconds_that_are_left_are_noted_each_second() {
    let [mut bad, good] = with_and_without("M247", &json!({"activeDeadlineSeconds": 600}), &running(), &["Running"]);
    assert!(good.is_idle());
    assert!(!bad.is_idle());
    let path = format!("{}/j/status", Resource::JOBS.list_path("ns"));
    let mut call =
        Call { method: http::Method::PUT, path, body: json!({"metadata": {}}), ..Call::list(&Resource::JOBS) };
    bad.bug.ask(&mut call);
    assert_eq!(call.body["metadata"]["annotations"]["batch.kubernetes.io/seconds-until-deadline"], "540");
    assert!(bad.is_idle());
    bad.age += 1;
    assert!(!bad.is_idle());
}

#[test]
fn a_job_with_active_pods_waits_for_the_first_resync() {
    let [mut bad, good] = with_and_without("M248", &json!({}), &running(), &["Succeeded"]);
    assert!(!good.is_idle());
    assert_eq!(bad.look().requeue, Requeue::After(SignedDuration::from_secs(12)));
    assert!(bad.is_idle());
    bad.age += 12;
    assert!(!bad.is_idle());
}

#[test]
fn a_deadline_that_has_passed_counts_from_the_next_edit() {
    let [mut bad, good] = with_and_without("M250", &json!({"activeDeadlineSeconds": 30}), &running(), &["Running"]);
    let fails = |world: &World| world.status().is_some_and(|status| status.holds(ConditionKind::FailureTarget));
    assert!(fails(&good));
    assert!(bad.is_idle());
    bad.job["metadata"]["generation"] = 2.into();
    assert!(fails(&bad));
}

#[test]
fn an_earlier_failure_has_no_timer() {
    let [mut bad, _] = with_and_without("M251", &json!({}), &running(), &["Failed"]);
    let ends = |world: &World| {
        let mut sight = world.with(Observed::of);
        world.bug.see(&mut sight);
        let mut decision = sight.decision();
        let delay = Requeue::After(SignedDuration::from_secs(9));
        (decision.awaiting, decision.requeue) = (None, delay);
        world.bug.say(&sight, &mut decision);
        decision.requeue == delay
    };
    assert!(!ends(&bad));
    bad.pods[0]["metadata"]["creationTimestamp"] = "2026-01-01T00:01:01Z".into();
    assert!(ends(&bad), "this one failed after the start");
}

#[test]
fn what_is_listed_again_wakes_nobody() {
    for (is_watched, finds) in [(false, false), (true, true)] {
        let [mut bad, _] = with_and_without("M255", &json!({}), &running(), &["Running"]);
        let list = Call::list(&Resource::PODS);
        let told = |world: &World| world.bug.told(&list, &mut Answer::ok(&json!({"items": world.pods})));
        told(&bad);
        assert!(bad.is_idle());
        bad.pods[0]["metadata"]["resourceVersion"] = "21".into();
        bad.pods[0]["status"]["phase"] = "Succeeded".into();
        if is_watched {
            bad.bug.line(&list, &mut json!({"type": "MODIFIED", "object": bad.pods[0]}));
        } else {
            told(&bad);
        }
        assert_eq!(!bad.is_idle(), finds);
        assert!(!bad.is_idle(), "whatever wakes it, it sees all");
    }
}

#[test]
fn a_pod_that_a_new_list_does_not_have_stays() {
    let (bug, list) = (roster::decorator("M253").unwrap(), Call::list(&Resource::PODS));
    let items = |pods: &Value| {
        let mut answer = Answer::ok(&json!({"metadata": {}, "items": pods}));
        bug.told(&list, &mut answer);
        answer.json()["items"].as_array().map(Vec::len)
    };
    assert_eq!(items(&json!([])), Some(0));
    bug.line(&list, &mut json!({"type": "ADDED", "object": pod("Running")}));
    assert_eq!(items(&json!([])), Some(1));
    bug.line(&list, &mut json!({"type": "DELETED", "object": pod("Running")}));
    assert_eq!(items(&json!([])), Some(0));
}

#[test]
fn the_first_news_after_a_cut_are_lost() {
    let (bug, list) = (roster::decorator("M254").unwrap(), Call::list(&Resource::PODS));
    let mut watch = Call { query: "watch=true".to_owned(), ..list };
    let mut says = |begins: bool| {
        if begins {
            bug.ask(&mut watch);
        }
        let mut frame = json!({"type": "MODIFIED", "object": pod("Running")});
        bug.line(&watch, &mut frame);
        frame["type"] == "MODIFIED"
    };
    assert!(says(true));
    assert_eq!((says(true), says(false)), (false, true));
}
