//! The runtime's API server of a few lines, and a Job and its pods to tell of.

#[path = "../../runtime/tests/it/fake.rs"]
mod api_server;

use serde_json::{Value, json};

pub use self::api_server::{Answer, Log, Seen, client, count, status};

/// A pod of the Job `job`.
pub fn pod(name: &str, revision: u64) -> Value {
    json!({"metadata": {
        "name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": revision.to_string(),
        "finalizers": ["batch.kubernetes.io/job-tracking"],
        "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "uid-job", "controller": true},
        ],
    }})
}

/// The Job `job`.
pub fn job() -> Value {
    json!({
        "metadata": {"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": "1", "generation": 1},
        "spec": {
            "parallelism": 3, "completions": 3,
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "uid-job"}},
            "template": {"metadata": {}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}},
        },
    })
}
