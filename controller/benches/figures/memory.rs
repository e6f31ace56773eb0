//! What a thousand pods hold on the heap: lean and with the indexes that syncs need, and as the reflector of `kube-runtime` keeps
//! them, that is whole, in a hash map by name, namespace, version and UID.

use std::collections::HashMap;
use std::sync::Arc;

use jobsworth_controller::cache::{CachedPod, Pods};
use jobsworth_controller_runtime::feed::{Change, Resource};
use jobsworth_figures::{Held, held};
use k8s_openapi::api::core::v1::Pod;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A pod of an Indexed Job as the API server of Kubernetes 1.37.1 showed it to the recorder of the harness: of the 7,641 versions of
/// pods in the recorded timelines the one of median size. Its managed fields are empty already.
const RECORDED: &str = include_str!("pod.json");
const PODS: usize = 1000;

/// Every row, in the order in which it is shown.
pub fn all() -> Vec<Held> {
    vec![
        row("a pod of the harness", |_| {}),
        row("the same with 12 variables and an end", |pod| {
            pod["spec"]["containers"][0]["env"] = (0..12).map(variable).collect();
            pod["status"] = ended();
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

fn row(name: &str, change: fn(&mut Value)) -> Held {
    let texts = move || (0..PODS).map(move |number| text(number, change));
    let ours = move || {
        let objects = texts().map(|text| CachedPod::decode(&text).expect("a pod")).collect();
        let mut pods = Pods::default();
        pods.apply(Change::Listed { objects, revision: 1_000_000 });
        pods
    };
    let naive = move || {
        let pods = texts().map(|text| serde_json::from_str::<Pod>(text.get()).expect("a pod"));
        pods.map(|pod| (reference(&pod), Arc::new(pod))).collect::<HashMap<ObjectRef, Arc<Pod>>>()
    };
    held(name, PODS, ours, naive)
}

fn reference(pod: &Pod) -> ObjectRef {
    let metadata = pod.metadata.clone();
    ObjectRef {
        name: metadata.name.unwrap_or_default(),
        namespace: metadata.namespace,
        resource_version: metadata.resource_version,
        uid: metadata.uid,
    }
}

/// One of many pods: names, UIDs and versions differ.
fn text(number: usize, change: fn(&mut Value)) -> Box<RawValue> {
    let mut pod: Value = serde_json::from_str(RECORDED).expect("it is JSON");
    pod["metadata"]["name"] = json!(format!("job-0-{number:05}"));
    pod["metadata"]["uid"] = json!(format!("ba70e78c-db4c-4e1b-af00-{number:012}"));
    pod["metadata"]["resourceVersion"] = json!((4000 + number).to_string());
    change(&mut pod);
    RawValue::from_string(pod.to_string()).expect("it is JSON")
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
