//! Changes to one version of a Job.

use crate::falsify::{set, with, without};
use serde_json::{Value, json};

/// Reasons of conditions and Events.
pub const REASONS: &[&str] = &[
    "FailedDelete",
    "CompletionsReached",
    "SuccessPolicy",
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "PodFailurePolicy",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "JobSuspended",
    "JobResumed",
    "SuccessfulCreate",
    "SuccessfulDelete",
    "FailedCreate",
    "Completed",
    "Suspended",
    "Resumed",
    "TooManySucceededPods",
    "SuccessCriteriaMet",
    "FailureTarget",
];
const CONDITIONS: [&str; 5] = ["Suspended", "SuccessCriteriaMet", "FailureTarget", "Complete", "Failed"];
const LONG_AGO: &str = "2001-01-01T00:00:00Z";
const FAR_AWAY: &str = "2099-01-01T00:00:00Z";

/// Every change of one version of a Job.
pub fn edits(job: &Value) -> Vec<Value> {
    // Conditions last: there are more changes of them than of all the rest.
    let mut edits = status(job);
    edits.extend(rest(job));
    edits.extend(conditions(job));
    edits
}

fn conditions(job: &Value) -> Vec<Value> {
    let mut edits = Vec::new();
    let present = job["status"]["conditions"].as_array().map_or(0, Vec::len);
    for place in 0..present {
        edits.push(with(job, |job| {
            job["status"]["conditions"].as_array_mut().map(|all| all.remove(place));
        }));
        for (key, value) in [
            ("status", "False"),
            ("reason", "Otherwise"),
            ("reason", ""),
            ("message", "otherwise"),
            ("lastTransitionTime", FAR_AWAY),
        ] {
            edits.push(with(job, |job| job["status"]["conditions"][place][key] = value.into()));
        }
    }
    for rule in 0..4 {
        edits.push(with(&with_condition(job, "SuccessCriteriaMet", "True", "SuccessPolicy"), |job| {
            if let Some(last) = job["status"]["conditions"].as_array_mut().and_then(|all| all.last_mut()) {
                last["message"] = format!("Matched rules at index {rule}").into();
            }
        }));
    }
    for kind in CONDITIONS {
        for reason in REASONS {
            for status in ["True", "False"] {
                edits.push(with_condition(job, kind, status, reason));
            }
        }
    }
    edits
}

fn with_condition(job: &Value, kind: &str, status: &str, reason: &str) -> Value {
    with(job, |job| {
        if job["status"].is_null() {
            job["status"] = json!({});
        }
        let condition = json!({"type": kind, "status": status, "reason": reason, "lastTransitionTime": LONG_AGO});
        match job["status"]["conditions"].as_array_mut() {
            Some(all) => all.push(condition),
            None => job["status"]["conditions"] = json!([condition]),
        }
    })
}

fn status(job: &Value) -> Vec<Value> {
    let mut edits = Vec::new();
    for counter in ["active", "ready", "terminating", "succeeded", "failed"] {
        let now = job["status"][counter].as_i64().unwrap_or(0);
        for value in [0, now + 1, now - 1, 99] {
            edits.push(set(job, "/status", counter, value.into()));
        }
    }
    for list in ["completedIndexes", "failedIndexes"] {
        edits.push(without(job, "/status", list));
        edits.extend(["", "0", "1", "2", "90"].map(|text| set(job, "/status", list, text.into())));
    }
    for time in ["startTime", "completionTime"] {
        edits.push(without(job, "/status", time));
        edits.push(set(job, "/status", time, LONG_AGO.into()));
    }
    for list in ["succeeded", "failed"] {
        edits.push(set(job, "/status/uncountedTerminatedPods", list, json!(["nobody"])));
        // More than a sync may list, and all of them the same.
        edits.push(set(job, "/status/uncountedTerminatedPods", list, vec!["nobody"; 501].into()));
    }
    edits
}

fn rest(job: &Value) -> Vec<Value> {
    let mut edits = vec![
        set(job, "/metadata", "deletionTimestamp", LONG_AGO.into()),
        without(job, "/metadata", "deletionTimestamp"),
        without(job, "/metadata", "finalizers"),
        without(job, "/metadata", "ownerReferences"),
        set(job, "/metadata", "uid", "another".into()),
        set(job, "/metadata", "generation", 99.into()),
        set(job, "/metadata", "name", "another".into()),
        with_every_field(job),
        set(job, "/spec", "podReplacementPolicy", "Failed".into()),
    ];
    let fields = job["spec"].as_object().into_iter().flatten().map(|(field, _)| field.clone());
    edits.extend(fields.map(|field| without(job, "/spec", &field)));
    edits.extend(["parallelism", "completions"].map(|field| set(job, "/spec", field, 77.into())));
    edits
}

/// A Job that has a value in every optional field.
pub fn with_every_field(job: &Value) -> Value {
    let policy = json!({"rules": [{"succeededCount": 1}]});
    let failures = json!({"rules": [{"action": "Count", "onPodConditions": [{"type": "A", "status": "True"}]}]});
    let fields = [
        ("successPolicy", policy),
        ("podFailurePolicy", failures),
        ("backoffLimitPerIndex", json!(5)),
        ("maxFailedIndexes", json!(5)),
        ("managedBy", json!("example.com/somebody")),
        ("ttlSecondsAfterFinished", json!(5)),
        ("activeDeadlineSeconds", json!(5)),
        ("completions", json!(77)),
        ("parallelism", json!(77)),
        ("podReplacementPolicy", json!("Otherwise")),
    ];
    fields.into_iter().fold(job.clone(), |job, (field, value)| set(&job, "/spec", field, value))
}
