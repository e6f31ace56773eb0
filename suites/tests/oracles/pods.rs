//! Changes to one version of a pod, and pods that should not be there.

use crate::falsify::{set, with, without};
use serde_json::{Value, json};

const INDEX: &str = "batch.kubernetes.io/job-completion-index";
const LONG_AGO: &str = "2001-01-01T00:00:00Z";

/// Every change of one version of a pod.
pub fn edits(pod: &Value) -> Vec<Value> {
    let mut edits: Vec<Value> =
        ["Pending", "Running", "Succeeded", "Failed"].map(|phase| set(pod, "/status", "phase", phase.into())).into();
    edits.extend([
        set(pod, "/metadata", "deletionTimestamp", LONG_AGO.into()),
        without(pod, "/metadata", "deletionTimestamp"),
        set(pod, "/metadata", "finalizers", json!(["batch.kubernetes.io/job-tracking"])),
        set(pod, "/metadata", "name", "another".into()),
        set(pod, "/metadata", "creationTimestamp", LONG_AGO.into()),
        set(pod, "/spec", "nodeSelector", json!({"some": "node"})),
        set(pod, "/spec", "schedulingGroup", json!({"podGroupName": "another"})),
        without(pod, "/status", "conditions"),
        without(pod, "/status", "containerStatuses"),
    ]);
    for key in ["labels", "annotations", "finalizers", "ownerReferences"] {
        edits.push(without(pod, "/metadata", key));
    }
    for key in ["hostname", "nodeSelector", "nodeName", "schedulingGroup"] {
        edits.push(without(pod, "/spec", key));
    }
    edits.push(with(pod, |pod| pod["spec"]["containers"][0]["env"] = json!([])));
    edits.push(with(pod, |pod| {
        if let Some(owners) = pod["metadata"]["ownerReferences"].as_array_mut() {
            owners.push(json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "another", "uid": "another"}));
        }
    }));
    for part in ["labels", "annotations"] {
        let keys = pod["metadata"][part].as_object().into_iter().flatten().map(|(key, _)| key.clone());
        edits.extend(keys.map(|key| with(pod, |pod| pod["metadata"][part][key] = "9".into())));
    }
    edits
}

/// Pods like this one, but new.
pub fn twins(pod: &Value) -> Vec<Value> {
    let new = |phase: &str| {
        with(&without(pod, "/metadata", "deletionTimestamp"), |pod| {
            pod["metadata"]["name"] = "job-zzzzz".into();
            pod["metadata"]["uid"] = "a-newcomer".into();
            pod["status"] = json!({"phase": phase});
        })
    };
    ["Pending", "Running", "Failed", "Succeeded"].map(new).into()
}

/// The same pod, claimed by this Job.
pub fn owned(pod: &Value, job: &Value) -> Value {
    set(pod, "/metadata", "ownerReferences", json!([owner(job)]))
}

fn owner(job: &Value) -> Value {
    let (name, uid) = (&job["metadata"]["name"], &job["metadata"]["uid"]);
    json!({"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": true})
}

/// Pods of this Job that nobody made: one without an index, and one of each index.
pub fn newcomers(job: &Value) -> Vec<Value> {
    let (name, uid) = (&job["metadata"]["name"], &job["metadata"]["uid"]);
    let plain = json!({
        "metadata": {
            "name": "job-zzzzz", "uid": "a-newcomer", "ownerReferences": [owner(job)], "creationTimestamp": LONG_AGO,
            "labels": {"batch.kubernetes.io/job-name": name, "job-name": name, "batch.kubernetes.io/controller-uid": uid},
            "annotations": {"batch.kubernetes.io/job-index-failure-count": "7"},
        },
        "spec": {"containers": []},
        "status": {"phase": "Running"},
    });
    let of_index = |index: u32| {
        let annotated = set(&plain, "/metadata/annotations", INDEX, index.to_string().into());
        set(&annotated, "/metadata/labels", INDEX, index.to_string().into())
    };
    (0..6).map(of_index).chain([plain.clone()]).collect()
}
