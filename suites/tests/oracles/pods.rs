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
        without(pod, "/status", "conditions"),
        without(pod, "/status", "containerStatuses"),
    ]);
    for key in ["labels", "annotations", "finalizers", "ownerReferences"] {
        edits.push(without(pod, "/metadata", key));
    }
    for key in ["hostname", "nodeSelector", "nodeName"] {
        edits.push(without(pod, "/spec", key));
    }
    edits.push(with(pod, |pod| pod["spec"]["containers"][0]["env"] = json!([])));
    for part in ["labels", "annotations"] {
        let keys = pod["metadata"][part].as_object().into_iter().flatten().map(|(key, _)| key.clone());
        edits.extend(keys.map(|key| with(pod, |pod| pod["metadata"][part][key] = "9".into())));
    }
    edits
}

/// Pods like `first`, but new: of its own kind, and of each index.
pub fn newcomers(first: &Value) -> Vec<Value> {
    let new = |phase: &str| {
        with(first, |pod| {
            pod["metadata"]["name"] = "job-zzzzz".into();
            pod["metadata"]["uid"] = "a-newcomer".into();
            pod["status"] = json!({"phase": phase});
        })
    };
    let mut all: Vec<Value> = ["Pending", "Running", "Failed", "Succeeded"].map(new).into();
    for index in 0..6 {
        all.push(with(&new("Running"), |pod| {
            for part in ["annotations", "labels"] {
                if pod["metadata"][part].is_object() {
                    pod["metadata"][part][INDEX] = index.to_string().into();
                }
            }
        }));
    }
    all
}
