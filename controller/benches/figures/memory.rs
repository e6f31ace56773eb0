//! What a thousand pods, or Jobs, hold on the heap: lean and with the indexes that syncs need, and as the reflector of `kube-runtime`
//! keeps them, that is whole, in a hash map by name, namespace, version and UID.

use std::collections::HashMap;
use std::sync::Arc;

use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller_runtime::feed::{Change, Resource};
use jobsworth_controller_runtime::store::Store;
use jobsworth_figures::{Held, held};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A pod of an Indexed Job as the API server of Kubernetes 1.37.1 showed it to the recorder of the harness: of the 7,641 versions of
/// pods in the recorded timelines the one of median size. Its managed fields are empty already.
const RECORDED: &str = include_str!("pod.json");
/// How many there are of each kind.
const EACH: usize = 1000;

/// Every row, in the order in which it is shown.
pub fn all() -> Vec<Held> {
    vec![
        pods("a pod of the harness", |_| {}),
        pods("the same with 12 variables and an end", |pod| {
            pod["spec"]["containers"][0]["env"] = (0..12).map(variable).collect();
            pod["status"] = ended();
        }),
        jobs("a finished Job of the harness", |_| {}),
        jobs("the same with a success policy of 20 rules", |job| {
            job["spec"]["successPolicy"]["rules"] =
                (0..20).map(|index| json!({"succeededIndexes": format!("{index}")})).collect();
        }),
    ]
}

/// As `kube_runtime::reflector::ObjectRef` of kube 5.
#[derive(Hash, PartialEq, Eq)]
struct ObjectRef {
    name: String,
    namespace: Option<String>,
    resource_version: Option<String>,
    uid: Option<String>,
}

fn pods(name: &str, change: fn(&mut Value)) -> Held {
    let texts = move || texts(RECORDED, change);
    let ours = move || {
        let objects = texts().map(|text| CachedPod::decode(&text).expect("a pod")).collect();
        let mut pods = Pods::default();
        pods.apply(Change::Listed { objects, revision: 1_000_000 });
        pods
    };
    held(name, EACH, ours, move || whole::<Pod>(texts(), |pod| &pod.metadata))
}

fn jobs(name: &str, change: fn(&mut Value)) -> Held {
    let texts = move || texts(&job().to_string(), change);
    let ours = move || {
        let objects = texts().map(|text| CachedJob::decode(&text).expect("a Job")).collect();
        let mut jobs = Store::default();
        jobs.apply(Change::Listed { objects, revision: 1_000_000 });
        jobs
    };
    held(name, EACH, ours, move || whole::<Job>(texts(), |job| &job.metadata))
}

fn whole<T: DeserializeOwned>(
    texts: impl Iterator<Item = Box<RawValue>>,
    metadata: fn(&T) -> &ObjectMeta,
) -> HashMap<ObjectRef, Arc<T>> {
    let objects = texts.map(|text| serde_json::from_str::<T>(text.get()).expect("an object"));
    objects.map(|object| (reference(metadata(&object)), Arc::new(object))).collect()
}

fn reference(metadata: &ObjectMeta) -> ObjectRef {
    let metadata = metadata.clone();
    ObjectRef {
        name: metadata.name.unwrap_or_default(),
        namespace: metadata.namespace,
        resource_version: metadata.resource_version,
        uid: metadata.uid,
    }
}

/// One of many: names, UIDs and versions differ.
fn texts(of: &str, change: fn(&mut Value)) -> impl Iterator<Item = Box<RawValue>> + use<> {
    let object: Value = serde_json::from_str(of).expect("it is JSON");
    (0..EACH).map(move |number| {
        let mut object = object.clone();
        object["metadata"]["name"] = json!(format!("job-0-{number:05}"));
        object["metadata"]["uid"] = json!(format!("ba70e78c-db4c-4e1b-af00-{number:012}"));
        object["metadata"]["resourceVersion"] = json!((4000 + number).to_string());
        change(&mut object);
        RawValue::from_string(object.to_string()).expect("it is JSON")
    })
}

/// A Job as the API server has it once the controller has finished it; its managed fields are left out.
fn job() -> Value {
    let uid = "ba70e78c-db4c-4e1b-af00-000000000000";
    let labels = json!({"batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "job", "controller-uid": uid, "job-name": "job"});
    let at = "2026-01-01T00:00:00Z";
    let condition = |kind: &str| {
        json!({
            "type": kind, "status": "True", "lastProbeTime": at, "lastTransitionTime": at,
            "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods",
        })
    };
    let conditions: Vec<Value> = ["SuccessCriteriaMet", "Complete"].map(condition).into();
    json!({
        "metadata": {"namespace": "load-cold-restart-1", "generation": 1, "creationTimestamp": at, "labels": labels},
        "spec": {
            "parallelism": 1, "completions": 1, "completionMode": "Indexed", "backoffLimit": 6, "suspend": false,
            "manualSelector": false, "podReplacementPolicy": "TerminatingOrFailed",
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}},
            "template": {"metadata": {"labels": labels}, "spec": {
                "restartPolicy": "Never", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
                "securityContext": {}, "schedulerName": "default-scheduler",
                "containers": [{
                    "name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {}, "imagePullPolicy": "IfNotPresent",
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                }],
            }},
        },
        "status": {
            "succeeded": 1, "ready": 0, "terminating": 0, "completedIndexes": "0", "uncountedTerminatedPods": {},
            "startTime": at, "completionTime": at, "conditions": conditions,
        },
    })
}

fn variable(number: u32) -> Value {
    json!({"name": format!("VARIABLE_{number}"), "value": "a value of some length"})
}

fn ended() -> Value {
    let at = "2026-01-01T00:00:00Z";
    let condition =
        |kind: &str| json!({"type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": at});
    let conditions: Vec<Value> = ["PodScheduled", "Initialized", "Ready"].map(condition).into();
    let ended = json!({"exitCode": 0, "reason": "Completed", "startedAt": at, "finishedAt": at, "containerID": "containerd://0123456789"});
    let container = json!({"name": "main", "restartCount": 0, "ready": false, "image": "i", "imageID": "d", "state": {"terminated": ended}});
    json!({
        "phase": "Succeeded", "qosClass": "BestEffort", "podIP": "10.0.0.1", "hostIP": "10.0.0.2", "startTime": at,
        "conditions": conditions, "containerStatuses": [container],
    })
}
