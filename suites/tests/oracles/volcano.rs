//! Changes to one version of an object of Volcano's or of what its plugins make, and objects that should not be there.

use crate::falsify::{set, with, without};
use serde_json::{Value, json};

/// Reasons of Events about Volcano's Jobs.
pub const REASONS: &[&str] = &["PodGroupPending", "CommandIssued", "FailedCreate", "PVCError", "PluginError"];

const PHASES: [&str; 10] = [
    "Pending",
    "Aborting",
    "Aborted",
    "Running",
    "Restarting",
    "Completing",
    "Completed",
    "Terminating",
    "Terminated",
    "Failed",
];
const COUNTERS: [&str; 9] =
    ["pending", "running", "succeeded", "failed", "terminating", "unknown", "minAvailable", "version", "retryCount"];
const LONG_AGO: &str = "2001-01-01T00:00:00Z";
/// What in an object somebody may look at.
const ROOTS: [&str; 9] = [
    "/metadata/labels",
    "/metadata/annotations",
    "/metadata/ownerReferences",
    "/metadata/finalizers",
    "/spec",
    "/status",
    "/data",
    "/public",
    "/withheld",
];

/// Versions of a Volcano Job with one change.
pub fn of_job(job: &Value) -> Vec<Value> {
    let mut edits: Vec<Value> = PHASES.map(|phase| set(job, "/status/state", "phase", phase.into())).into();
    edits.extend(COUNTERS.iter().flat_map(|counter| (0..6).map(|n| set(job, "/status", counter, n.into()))));
    edits.extend([
        without(job, "/status", "state"),
        set(job, "/metadata", "deletionTimestamp", LONG_AGO.into()),
        without(job, "/metadata", "deletionTimestamp"),
        set(job, "/metadata", "finalizers", json!([])),
        set(job, "/metadata", "labels", json!({"a": "b"})),
        set(job, "/status", "controlledResources", json!({})),
        set(job, "/status", "taskStatusCount", json!({})),
        with(job, |job| {
            if let Some(conditions) = job["status"]["conditions"].as_array_mut() {
                conditions.extend(conditions.clone());
            }
        }),
    ]);
    edits.extend(leaves(job));
    edits
}

/// Versions of any other object with one change.
pub fn of_object(object: &Value) -> Vec<Value> {
    let mut edits: Vec<Value> = ["Pending", "Inqueue", "Running", "Unknown", "Completed", "Open", "Closed"]
        .map(|phase| set(object, "/status", "phase", phase.into()))
        .into();
    edits.extend([
        set(object, "/metadata", "name", "another".into()),
        set(object, "/metadata", "deletionTimestamp", LONG_AGO.into()),
        without(object, "/metadata", "ownerReferences"),
        set(object, "/spec", "ports", json!([{"port": 80}])),
        set(object, "/spec", "publishNotReadyAddresses", true.into()),
    ]);
    edits.extend(leaves(object));
    edits
}

/// Versions of a pod with one change that matters to Volcano's Jobs.
pub fn of_pod(pod: &Value) -> Vec<Value> {
    let mut edits = leaves(pod);
    edits.push(set(pod, "/metadata", "deletionGracePeriodSeconds", 7.into()));
    edits.push(set(pod, "/metadata/labels", "other", "x".into()));
    edits.push(set(pod, "/metadata/annotations", "other", "x".into()));
    edits
}

/// One change of each text, number and switch, and each of them gone.
fn leaves(object: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    for root in ROOTS {
        if let Some(value) = object.pointer(root) {
            collect(value, root.to_owned(), &mut pointers);
        }
    }
    let mut edits = Vec::new();
    for pointer in pointers {
        let Some((parent, key)) = pointer.rsplit_once('/') else { continue };
        edits.push(without(object, parent, &key.replace("~1", "/").replace("~0", "~")));
        let others: Vec<Value> = match object.pointer(&pointer) {
            Some(Value::Number(n)) => [0, 1, 9].map(|d| (n.as_i64().unwrap_or(0) + d).into()).into(),
            Some(Value::Bool(on)) => vec![(!on).into()],
            Some(Value::String(_)) => vec!["another".into(), "9".into()],
            _ => Vec::new(),
        };
        edits.extend(others.into_iter().map(|other| {
            with(object, |copy| {
                if let Some(place) = copy.pointer_mut(&pointer) {
                    *place = other;
                }
            })
        }));
    }
    edits
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                collect(field, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), pointers);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(place, item)| collect(item, format!("{at}/{place}"), pointers))
        }
        _ => pointers.push(at),
    }
}

/// The Job that most claims are about, where there should be none: like this one.
pub fn named_job(other: &Value) -> Value {
    let mut job = other.clone();
    job["metadata"]["name"] = "job".into();
    job["metadata"]["uid"] = "a-new-job".into();
    job
}

/// Objects of this Job that nobody made.
pub fn newcomers(job: &Value) -> Vec<Value> {
    let name = job["metadata"]["name"].as_str().unwrap_or_default();
    let named = |api: &str, kind: &str, name: String| {
        json!({
            "apiVersion": api, "kind": kind,
            "metadata": {"name": name, "uid": format!("a-new-{kind}"), "ownerReferences": [owner(job)]}, "spec": {}, "status": {},
        })
    };
    vec![
        named("scheduling.volcano.sh/v1beta1", "PodGroup", format!("{name}-another")),
        named("v1", "Service", name.to_owned()),
        named("v1", "ConfigMap", format!("{name}-svc")),
        named("v1", "Secret", format!("{name}-ssh")),
        named("v1", "PersistentVolumeClaim", format!("{name}-pvc-another")),
        named("networking.k8s.io/v1", "NetworkPolicy", name.to_owned()),
        named("bus.volcano.sh/v1alpha1", "Command", "another".to_owned()),
    ]
}

/// Pods of this Job that nobody made: of each of its tasks, version and phase.
pub fn new_pods(job: &Value) -> Vec<Value> {
    let name = job["metadata"]["name"].as_str().unwrap_or_default();
    let mut pods = Vec::new();
    for task in job["spec"]["tasks"].as_array().into_iter().flatten() {
        let task = task["name"].as_str().unwrap_or_default();
        for (version, phase) in [
            ("0", "Running"),
            ("1", "Running"),
            ("2", "Running"),
            ("3", "Running"),
            ("0", "Failed"),
            ("0", "Succeeded"),
        ] {
            let keys = json!({
                "volcano.sh/job-name": name, "volcano.sh/task-spec": task, "volcano.sh/job-version": version,
                "volcano.sh/job-retry-count": version,
            });
            pods.push(json!({
                "metadata": {
                    "name": format!("{name}-{task}-zzz"), "uid": "a-newcomer", "ownerReferences": [owner(job)], "labels": keys,
                    "annotations": keys, "creationTimestamp": LONG_AGO,
                },
                "spec": {"containers": []}, "status": {"phase": phase},
            }));
        }
    }
    pods
}

fn owner(job: &Value) -> Value {
    let (name, uid) = (&job["metadata"]["name"], &job["metadata"]["uid"]);
    json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": name, "uid": uid, "controller": true})
}
