//! Histories told step by step: what a recorder would have written, in a few words.
//!
//! Pods are called by a key: `"0a"` is the first pod of index 0 (`job-0a`, UID `uid-0a`), `"a"` a pod of a
//! Job without indexes. Each step is one version, 10 ms after the one before.

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::Resource;
use jobsworth_oracle::{
    Answer, Ending, Entry, Fact, Ownership, RegimeMark, Request, Seen, Setting, Timeline, fact::Notice,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

pub const TRACKING: &str = "batch.kubernetes.io/job-tracking";
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// A history under way.
#[derive(Clone)]
pub struct Story {
    pub setting: Setting,
    entries: Vec<Entry>,
    revision: u64,
    at: Duration,
    pub job: Value,
    pods: BTreeMap<String, Value>,
    ending: Ending,
}

impl Story {
    /// A Job with these fields of its spec; more than `parallelism: 1` must be said.
    pub fn of(spec: Value) -> Self {
        let setting = Setting {
            case: "invariants/story".to_owned(),
            namespace: "jw-1".to_owned(),
            started: "2026-01-01T00:00:00Z".parse().unwrap(),
            kubernetes: "1.37.1".parse().unwrap(),
            emulated: None,
            gates: BTreeMap::new(),
            subject: "builtin".to_owned(),
            judged: Resource::JOBS,
            ownership: Ownership::BuiltIn,
            shared: false,
        };
        let mut story = Self {
            setting,
            entries: Vec::new(),
            revision: 100,
            at: Duration::ZERO,
            job: Value::Null,
            pods: BTreeMap::new(),
            ending: Ending::Complete,
        };
        story.job = job(spec, "job-uid", &story.now());
        story.write_job()
    }

    /// An Indexed Job.
    pub fn indexed(completions: u32, parallelism: u32) -> Self {
        Self::of(json!({"completionMode": "Indexed", "completions": completions, "parallelism": parallelism}))
    }

    /// A Job without indexes.
    pub fn plain(completions: u32, parallelism: u32) -> Self {
        Self::of(json!({"completions": completions, "parallelism": parallelism}))
    }

    /// Time passes.
    pub fn wait(mut self, seconds: u64) -> Self {
        self.at += Duration::from_secs(seconds);
        self
    }

    /// A gate that is off.
    pub fn without(mut self, gate: &str) -> Self {
        self.setting.gates.insert(gate.to_owned(), false);
        self
    }

    /// Others than the script may act in the namespace.
    pub fn shared(mut self) -> Self {
        self.setting.shared = true;
        self
    }

    /// The Job is owned by another Job, which runs or is being deleted in the foreground.
    pub fn owned(mut self, is_going: bool) -> Self {
        let owner = json!({
            "apiVersion": "batch/v1", "kind": "Job", "name": "owner", "uid": "owner-uid", "blockOwnerDeletion": true,
        });
        self.job["metadata"]["ownerReferences"] = json!([owner]);
        self = self.write_job();
        let mut other = job(json!({}), "owner-uid", &self.now());
        other["metadata"]["name"] = "owner".into();
        if is_going {
            other["metadata"]["deletionTimestamp"] = self.now().into();
            other["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
        }
        self.revision += 1;
        other["metadata"]["resourceVersion"] = self.revision.to_string().into();
        self.enter(Fact::there::<Job>(Seen::new(other).unwrap()))
    }

    /// The Job as somebody edits it.
    pub fn edit(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.job);
        self.write_job()
    }

    /// The script patches the spec.
    pub fn spec(self, patch: Value) -> Self {
        self.edit(|job| merge(&mut job["spec"], patch))
    }

    /// The controller writes the status.
    pub fn status(self, patch: Value) -> Self {
        let now = self.now();
        self.edit(|job| {
            merge(&mut job["status"], patch);
            // Who writes is told only where the script wrote, too.
            if let Some(entries) = job["metadata"]["managedFields"].as_array_mut() {
                entries.retain(|entry| entry["manager"] != "kube-controller-manager");
                entries.push(json!({
                    "manager": "kube-controller-manager", "operation": "Update", "apiVersion": "batch/v1", "time": now,
                    "subresource": "status",
                }));
            }
        })
    }

    /// The script writes to the status.
    pub fn tampered(self, patch: Value) -> Self {
        let now = self.now();
        let keys = patch.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()).map(|(key, _)| key);
        let fields: serde_json::Map<_, _> = keys.map(|key| (format!("f:{key}"), json!({}))).collect();
        let entry = json!({
            "manager": "jobsworth-script", "operation": "Update", "apiVersion": "batch/v1", "time": now,
            "subresource": "status", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": fields},
        });
        self.edit(|job| {
            job["metadata"]["managedFields"] = json!([entry]);
            merge(&mut job["status"], patch);
        })
    }

    /// The events of this cluster have a store of their own: their revisions say nothing beside those of the others.
    pub fn events_apart(self) -> Self {
        self.enter(Fact::Apart("events".to_owned()))
    }

    /// An event arrives with a revision.
    pub fn notice(mut self, reason: &str, revision: u64) -> Self {
        let (kind, message, about) = ("Normal".to_owned(), "why".to_owned(), "Job/job".to_owned());
        let fact = Fact::Notice(Notice { kind, reason: reason.to_owned(), message, about, count: 1 });
        self.entries.push(Entry { revision, at: self.at, fact });
        self.at += Duration::from_millis(10);
        self
    }

    /// The controller starts the Job.
    pub fn start(self, active: u32) -> Self {
        let now = self.now();
        self.status(json!({"startTime": now, "active": active, "ready": 0, "terminating": 0}))
    }

    /// The controller writes the ledger: pods by key, and the rest of the status with it.
    pub fn ledger(self, succeeded: &[&str], failed: &[&str], rest: Value) -> Self {
        let uids = |keys: &[&str]| keys.iter().map(|key| format!("uid-{key}")).collect::<Vec<_>>();
        let mut patch = json!({"uncountedTerminatedPods": {"succeeded": uids(succeeded), "failed": uids(failed)}});
        merge(&mut patch, rest);
        self.status(patch)
    }

    /// The controller appends a condition, with the rest of the status.
    pub fn condition(self, kind: &str, reason: &str, rest: Value) -> Self {
        self.condition_saying(kind, reason, "why", rest)
    }

    /// The same with a message of its own.
    pub fn condition_saying(self, kind: &str, reason: &str, message: &str, rest: Value) -> Self {
        let mut condition = self.made(kind, reason);
        condition["message"] = message.into();
        self.edit(|job| {
            merge(&mut job["status"], rest);
            append(job, condition);
        })
    }

    /// The terminal condition, with the message of the decision, and what goes with it.
    pub fn finish(self, kind: &str, reason: &str, rest: Value) -> Self {
        let mut condition = self.made(kind, reason);
        let mut known = self.job.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
        if let Some(decision) = known.rfind(|known| known["reason"] == reason) {
            condition["message"] = decision["message"].clone();
        }
        let now = self.now();
        self.edit(|job| {
            let empty = json!({"active": 0, "ready": 0, "terminating": 0, "uncountedTerminatedPods": {"succeeded": [], "failed": []}});
            merge(&mut job["status"], empty);
            if kind == "Complete" {
                job["status"]["completionTime"] = now.into();
            }
            merge(&mut job["status"], rest);
            append(job, condition);
        })
    }

    /// The revision of the last version.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// A condition of the Job changes in place.
    pub fn turn(self, kind: &str, patch: Value) -> Self {
        self.edit(|job| {
            let conditions = job["status"]["conditions"].as_array_mut().unwrap();
            merge(conditions.iter_mut().find(|condition| condition["type"] == kind).unwrap(), patch);
        })
    }

    /// The controller creates a pod.
    pub fn create(self, key: &str) -> Self {
        self.create_with(key, |_| {})
    }

    /// The controller creates a pod that is not as it should be.
    pub fn create_with(mut self, key: &str, change: impl FnOnce(&mut Value)) -> Self {
        let mut pod = pod(&self.job, key, &self.now());
        change(&mut pod);
        self.pods.insert(key.to_owned(), pod);
        self.write_pod(key)
    }

    /// A pod as somebody edits it.
    pub fn pod(mut self, key: &str, patch: Value) -> Self {
        merge(self.pods.get_mut(key).expect("the pod was created"), patch);
        self.write_pod(key)
    }

    /// The pod runs and is ready.
    pub fn run(self, key: &str) -> Self {
        let conditions = json!([{"type": "Ready", "status": "True", "lastTransitionTime": self.now()}]);
        self.pod(key, json!({"status": {"phase": "Running", "conditions": conditions}}))
    }

    /// The pod ends with success.
    pub fn succeed(self, key: &str) -> Self {
        self.ended(key, "Succeeded", 0)
    }

    /// The pod fails.
    pub fn fail(self, key: &str) -> Self {
        self.ended(key, "Failed", 1)
    }

    fn ended(self, key: &str, phase: &str, code: u32) -> Self {
        let now = self.now();
        let state = json!({"terminated": {"exitCode": code, "finishedAt": now}});
        let container =
            json!({"name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": 0, "state": state});
        let conditions = json!([{"type": "Ready", "status": "False", "lastTransitionTime": now}]);
        self.pod(key, json!({"status": {"phase": phase, "containerStatuses": [container], "conditions": conditions}}))
    }

    /// The tracking finalizer goes.
    pub fn release(self, key: &str) -> Self {
        self.pod(key, json!({"metadata": {"finalizers": null}}))
    }

    /// The pod is told to stop; it has 30 s for it.
    pub fn stop(self, key: &str) -> Self {
        let latest = self.in_seconds(30);
        self.pod(key, json!({"metadata": {"deletionTimestamp": latest, "deletionGracePeriodSeconds": 30}}))
    }

    /// The pod is gone.
    pub fn gone(mut self, key: &str) -> Self {
        let mut pod = self.pods.remove(key).expect("the pod was created");
        self.revision += 1;
        pod["metadata"]["resourceVersion"] = self.revision.to_string().into();
        self.enter(Fact::gone::<Pod>(Seen::new(pod).unwrap()))
    }

    /// Someone deletes the Job; it stays until the finalizer goes.
    pub fn delete_job(self, finalizer: &str) -> Self {
        let now = self.now();
        self.edit(|job| {
            job["metadata"]["deletionTimestamp"] = now.into();
            job["metadata"]["finalizers"] = json!([finalizer]);
        })
    }

    /// The Job is gone.
    pub fn job_gone(mut self) -> Self {
        self.revision += 1;
        self.job["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let job = Seen::new(self.job.clone()).unwrap();
        self.enter(Fact::gone::<Job>(job))
    }

    /// A Job of the same name and another UID; what follows is about it.
    pub fn again(mut self, uid: &str, spec: Value) -> Self {
        self.job = job(spec, uid, &self.now());
        self.write_job()
    }

    /// The script passes a point.
    pub fn mark(self, name: &str) -> Self {
        self.enter(Fact::Mark(name.to_owned()))
    }

    /// The watch loses history.
    pub fn gap(self, resource: &str) -> Self {
        self.enter(Fact::Gap(resource.to_owned()))
    }

    /// The controller asks for something, and has its answer a millisecond later.
    pub fn asks(self, request: Request) -> Self {
        let sent_us = u64::try_from(self.at.as_micros()).unwrap();
        self.enter(Fact::Request(Request { sent_us, took_us: 1000, ..request }.into()))
    }

    /// The controller asks for something, and waits for the answer for so many seconds.
    pub fn asks_for(mut self, seconds: u32, request: Request) -> Self {
        let sent_us = u64::try_from(self.at.as_micros()).unwrap();
        self.at += Duration::from_secs(seconds.into());
        self.enter(Fact::Request(Request { sent_us, took_us: u64::from(seconds) * 1_000_000, ..request }.into()))
    }

    /// The control plane changes.
    pub fn regime(self, mark: RegimeMark) -> Self {
        self.enter(Fact::Regime(mark))
    }

    /// The API server answers a write of the script with the Job as it is.
    pub fn answered(self, to: &str) -> Self {
        let answer = Answer {
            to: to.to_owned(),
            code: 200,
            reason: String::new(),
            message: String::new(),
            causes: vec![],
            warnings: vec![],
            body: Arc::new(self.job.clone()),
        };
        self.enter(Fact::Answer(answer))
    }

    /// How the recording ends.
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// The whole history.
    pub fn end(self) -> Timeline {
        Timeline::seal(self.setting, self.entries, self.ending)
    }

    /// The time now, as the API writes it.
    pub fn now(&self) -> String {
        self.in_seconds(0)
    }

    fn in_seconds(&self, seconds: i64) -> String {
        let then: Timestamp = self.setting.started + SignedDuration::from_secs(self.at.as_secs() as i64 + seconds);
        then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    fn made(&self, kind: &str, reason: &str) -> Value {
        let now = self.now();
        json!({
            "type": kind, "status": "True", "reason": reason, "message": "why",
            "lastProbeTime": now, "lastTransitionTime": now,
        })
    }

    fn write_job(mut self) -> Self {
        self.revision += 1;
        self.job["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let job = Seen::new(self.job.clone()).unwrap();
        self.enter(Fact::there::<Job>(job))
    }

    fn write_pod(mut self, key: &str) -> Self {
        self.revision += 1;
        self.pods.get_mut(key).unwrap()["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let pod = Seen::new(self.pods[key].clone()).unwrap();
        self.enter(Fact::there::<Pod>(pod))
    }

    fn enter(mut self, fact: Fact) -> Self {
        self.entries.push(Entry { revision: self.revision, at: self.at, fact });
        self.at += Duration::from_millis(10);
        self
    }
}

fn job(spec: Value, uid: &str, now: &str) -> Value {
    let template = json!({
        "metadata": {"labels": {
            "batch.kubernetes.io/job-name": "job", "job-name": "job",
            "batch.kubernetes.io/controller-uid": uid, "controller-uid": uid,
        }},
        "spec": {"containers": [{"name": "main", "image": "i"}], "restartPolicy": "Never"},
    });
    let mut whole = json!({
        "parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": false, "template": template,
    });
    merge(&mut whole, spec);
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "job", "namespace": "jw-1", "uid": uid, "creationTimestamp": now},
        "spec": whole, "status": {},
    })
}

fn pod(job: &Value, key: &str, now: &str) -> Value {
    let mut labels = job["spec"]["template"]["metadata"]["labels"].clone();
    let (mut annotations, mut spec) = (json!({}), job["spec"]["template"]["spec"].clone());
    let mut generate_name = "job-".to_owned();
    if job["spec"]["completionMode"] == "Indexed" {
        let index: String = key.chars().take_while(char::is_ascii_digit).collect();
        labels[INDEX] = index.as_str().into();
        annotations[INDEX] = index.as_str().into();
        spec["hostname"] = format!("job-{index}").into();
        spec["containers"][0]["env"] = json!([{"name": "JOB_COMPLETION_INDEX"}]);
        generate_name = format!("job-{index}-");
        if job["spec"].get("backoffLimitPerIndex").is_some() {
            annotations["batch.kubernetes.io/job-index-failure-count"] = "0".into();
        }
    }
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{generate_name}{key:x<5}"), "namespace": "jw-1", "uid": format!("uid-{key}"), "creationTimestamp": now,
            "generateName": generate_name, "labels": labels, "annotations": annotations, "finalizers": [TRACKING],
            "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": job["metadata"]["uid"],
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "spec": spec, "status": {"phase": "Pending"},
    })
}

fn append(job: &mut Value, condition: Value) {
    match job["status"]["conditions"].as_array_mut() {
        Some(conditions) => conditions.push(condition),
        None => job["status"]["conditions"] = json!([condition]),
    }
}

/// A JSON merge patch.
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            target.as_object_mut().unwrap().remove(&key);
        } else {
            merge(&mut target[key], value);
        }
    }
}

/// An Indexed Job of three whose pods run.
pub fn three_run() -> Story {
    Story::indexed(3, 3).create("0a").create("1a").create("2a").start(3).run("0a").run("1a").run("2a")
}

/// An Indexed Job of two, decided: both indexes are completed, nothing is released yet.
pub fn two_decided() -> Story {
    Story::indexed(2, 2)
        .create("0a")
        .create("1a")
        .start(2)
        .run("0a")
        .run("1a")
        .wait(1)
        .succeed("0a")
        .succeed("1a")
        .condition(
            "SuccessCriteriaMet",
            "CompletionsReached",
            json!({"active": 0, "succeeded": 2, "completedIndexes": "0,1"}),
        )
}

/// The same with its finalizers gone: what is missing is the end.
pub fn two_released() -> Story {
    two_decided().release("0a").release("1a").wait(1)
}

/// An Indexed Job of two, complete.
pub fn two_complete() -> Story {
    two_released().finish("Complete", "CompletionsReached", json!({}))
}

/// A Job without indexes whose only pod failed and is in the ledger.
pub fn one_decided() -> Story {
    Story::of(json!({"completions": 1, "backoffLimit": 0})).create("a").start(1).run("a").wait(1).fail("a").condition(
        "FailureTarget",
        "BackoffLimitExceeded",
        json!({"active": 0, "uncountedTerminatedPods": {"failed": ["uid-a"]}}),
    )
}

/// The same, failed.
pub fn one_failed() -> Story {
    one_decided().release("a").finish("Failed", "BackoffLimitExceeded", json!({"failed": 1}))
}

/// A Job without indexes whose two pods succeeded and are in the ledger.
pub fn ledger_of_two() -> Story {
    Story::plain(4, 2).create("a").create("b").start(2).run("a").run("b").wait(1).succeed("a").succeed("b").ledger(
        &["a", "b"],
        &[],
        json!({"active": 0}),
    )
}
