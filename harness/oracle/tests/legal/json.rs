//! Jobs and pods as an API server writes them.

use super::objects::{Condition, FailureRule, Job, Owner, Phase, Pod, PodId, Spec, Status, SuccessRule};
use jiff::Timestamp;
use jobsworth_api::well_known;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Midnight of 2026, from which seconds are counted.
pub const BEGIN: i64 = 1_767_225_600;
pub const NAMESPACE: &str = "jw-legal";

pub fn time(seconds: i64) -> Value {
    let time = Timestamp::from_second(BEGIN + seconds).expect("a time of this age");
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into()
}

pub fn pod_uid(pod: PodId) -> String {
    format!("pod-uid-{pod}")
}

/// Ascending, runs of three or more as a range (IDX-014).
pub fn indexes(set: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for index in set {
        match runs.last_mut().filter(|(_, last)| last + 1 == *index) {
            Some((_, last)) => *last = *index,
            None => runs.push((*index, *index)),
        }
    }
    let words = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(",")
}

fn put(map: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map[key] = value.into();
    }
}

pub fn job(job: &Job, version: u64) -> Value {
    let mut managers = vec![
        json!({"manager": "jobsworth-script", "operation": "Update", "apiVersion": "batch/v1", "time": time(job.created)}),
    ];
    if let Some(written) = job.written {
        managers.push(json!({
            "manager": writer(job), "operation": "Update", "apiVersion": "batch/v1", "time": time(written), "subresource": "status",
        }));
    }
    let mut metadata = json!({
        "name": job.name, "namespace": NAMESPACE, "uid": job.uid, "creationTimestamp": time(job.created),
        "generation": job.generation, "resourceVersion": version.to_string(), "managedFields": managers,
    });
    put(&mut metadata, "deletionTimestamp", job.deleted.map(time));
    if !job.finalizers.is_empty() {
        metadata["finalizers"] = json!(job.finalizers);
    }
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec(job), "status": status(&job.status),
    })
}

fn writer(job: &Job) -> &'static str {
    if job.is_foreign() { "somebody-elses-controller" } else { "kube-controller-manager" }
}

fn labels(job: &Job) -> Value {
    json!({
        well_known::JOB_NAME: job.name, well_known::LEGACY_JOB_NAME: job.name,
        well_known::CONTROLLER_UID: job.uid, well_known::LEGACY_CONTROLLER_UID: job.uid,
    })
}

fn restart_policy(job: &Job) -> &'static str {
    if job.spec.on_failure { "OnFailure" } else { "Never" }
}

fn spec(job: &Job) -> Value {
    let Spec { indexed, edition, .. } = job.spec;
    let mut labels = labels(job);
    labels["edition"] = edition.to_string().into();
    let template = json!({
        "metadata": {"labels": labels},
        "spec": {
            "containers": [{"name": "main", "image": "i"}],
            "restartPolicy": restart_policy(job),
        },
    });
    let mut spec = json!({
        "parallelism": job.spec.parallelism, "backoffLimit": job.spec.backoff_limit,
        "completionMode": if indexed { "Indexed" } else { "NonIndexed" }, "suspend": job.spec.suspend,
        "podReplacementPolicy": if job.only_failed() { "Failed" } else { "TerminatingOrFailed" },
        "template": template,
    });
    put(&mut spec, "completions", job.spec.completions);
    put(&mut spec, "backoffLimitPerIndex", job.spec.per_index);
    put(&mut spec, "maxFailedIndexes", job.spec.max_failed);
    put(&mut spec, "activeDeadlineSeconds", job.spec.deadline);
    put(&mut spec, "ttlSecondsAfterFinished", job.spec.ttl);
    put(&mut spec, "managedBy", job.spec.managed_by);
    if !job.spec.success.is_empty() {
        spec["successPolicy"] = json!({"rules": job.spec.success.iter().map(success_rule).collect::<Vec<_>>()});
    }
    if !job.spec.failure.is_empty() {
        spec["podFailurePolicy"] = json!({"rules": job.spec.failure.iter().map(failure_rule).collect::<Vec<_>>()});
    }
    spec
}

fn success_rule(rule: &SuccessRule) -> Value {
    let mut written = json!({});
    put(&mut written, "succeededIndexes", rule.indexes.as_ref().map(indexes));
    put(&mut written, "succeededCount", rule.count);
    written
}

fn failure_rule(rule: &FailureRule) -> Value {
    let action = match rule {
        FailureRule::FailJob => "FailJob",
        FailureRule::FailIndex => "FailIndex",
        FailureRule::Ignore | FailureRule::IgnoreDisruption => "Ignore",
        FailureRule::Count => "Count",
    };
    match rule.code() {
        Some(code) => json!({"action": action, "onExitCodes": {"operator": "In", "values": [code]}}),
        None => json!({"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}),
    }
}

fn status(status: &Status) -> Value {
    let mut written = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            written.insert(key.to_owned(), value);
        }
    };
    let above_zero = |count: usize| (count > 0).then(|| count.into());
    put("startTime", status.start.map(time));
    put("completionTime", status.completion.map(time));
    put("active", above_zero(status.active));
    put("succeeded", above_zero(status.succeeded));
    put("failed", above_zero(status.failed));
    put("ready", status.ready.map(Value::from));
    put("terminating", status.terminating.map(Value::from));
    put("completedIndexes", (!status.completed.is_empty()).then(|| indexes(&status.completed).into()));
    put("failedIndexes", status.failed_indexes.as_ref().map(|set| indexes(set).into()));
    let uids = |pods: &BTreeSet<PodId>| pods.iter().map(|pod| pod_uid(*pod)).collect::<Vec<_>>();
    let mut ledger = json!({});
    if !status.uncounted_succeeded.is_empty() {
        ledger["succeeded"] = json!(uids(&status.uncounted_succeeded));
    }
    if !status.uncounted_failed.is_empty() {
        ledger["failed"] = json!(uids(&status.uncounted_failed));
    }
    let is_there = status.start.is_some() || ledger != json!({});
    put("uncountedTerminatedPods", is_there.then_some(ledger));
    let conditions: Vec<_> = status.conditions.iter().map(condition).collect();
    put("conditions", (!conditions.is_empty()).then(|| conditions.into()));
    Value::Object(written)
}

fn condition(condition: &Condition) -> Value {
    json!({
        "type": condition.kind, "status": if condition.holds { "True" } else { "False" }, "reason": condition.reason,
        "message": condition.message, "lastProbeTime": time(condition.since), "lastTransitionTime": time(condition.since),
    })
}

/// `job` is the one whose labels the pod has.
pub fn pod(pod: &Pod, id: PodId, job: &Job, version: u64) -> Value {
    let (mut labels, mut annotations) = (labels(job), json!({}));
    labels["edition"] = pod.edition.to_string().into();
    let mut container = json!({"name": "main", "image": "i"});
    let mut spec = json!({"restartPolicy": restart_policy(job)});
    if let Some(index) = pod.index {
        labels[well_known::COMPLETION_INDEX] = index.to_string().into();
        annotations[well_known::COMPLETION_INDEX] = index.to_string().into();
        spec["hostname"] = format!("{}-{index}", job.name).into();
        container["env"] = json!([{"name": well_known::COMPLETION_INDEX_ENV}]);
    }
    put(&mut annotations, well_known::INDEX_FAILURE_COUNT, pod.failures.map(|count| count.to_string()));
    put(&mut annotations, well_known::INDEX_IGNORED_FAILURE_COUNT, (pod.ignored > 0).then(|| pod.ignored.to_string()));
    spec["containers"] = json!([container]);
    put(&mut spec, "nodeName", pod.assigned.then_some("node"));
    let mut managers = Vec::new();
    let manager = if pod.by_script { "jobsworth-script" } else { "kube-controller-manager" };
    managers.push(json!({"manager": manager, "operation": "Update", "apiVersion": "v1", "time": time(pod.created)}));
    if let Some(edited) = pod.edited {
        managers.push(
            json!({"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1", "time": time(edited)}),
        );
    }
    let finalizers: Vec<_> = [(pod.tracked, well_known::TRACKING_FINALIZER), (pod.held, "example.com/held")]
        .into_iter()
        .filter(|f| f.0)
        .map(|f| f.1)
        .collect();
    let mut metadata = json!({
        "name": pod.name, "namespace": NAMESPACE, "uid": pod_uid(id), "creationTimestamp": time(pod.created),
        "generateName": pod.prefix, "labels": labels, "annotations": annotations, "resourceVersion": version.to_string(),
        "managedFields": managers, "ownerReferences": owners(pod.owner, job),
    });
    if !finalizers.is_empty() {
        metadata["finalizers"] = json!(finalizers);
    }
    if let Some((end, grace)) = pod.stop {
        metadata["deletionTimestamp"] = time(end);
        metadata["deletionGracePeriodSeconds"] = grace.into();
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": pod_status(pod)})
}

fn owners(owner: Owner, job: &Job) -> Value {
    let (api, kind, name, uid) = match owner {
        Owner::Nobody => return json!([]),
        Owner::Other => ("apps/v1", "ReplicaSet", "replicas", "replicas-uid"),
        Owner::Job(_) => ("batch/v1", "Job", job.name, job.uid.as_str()),
    };
    json!([{
        "apiVersion": api, "kind": kind, "name": name, "uid": uid, "controller": true, "blockOwnerDeletion": true,
    }])
}

fn pod_status(pod: &Pod) -> Value {
    let phase = match pod.phase {
        Phase::Pending => "Pending",
        Phase::Running => "Running",
        Phase::Succeeded => "Succeeded",
        Phase::Failed => "Failed",
    };
    let mut conditions = Vec::new();
    if pod.ready_since > 0 {
        let is_ready = if pod.ready { "True" } else { "False" };
        conditions.push(json!({"type": "Ready", "status": is_ready, "lastTransitionTime": time(pod.ready_since)}));
    }
    if pod.disrupted {
        conditions.push(json!({"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}));
    }
    let mut status = json!({"phase": phase, "conditions": conditions});
    if pod.phase != Phase::Pending {
        let state = match (pod.exit, pod.ended) {
            (Some(code), Some(ended)) => json!({"terminated": {"exitCode": code, "finishedAt": time(ended)}}),
            _ => json!({"running": {"startedAt": time(pod.created)}}),
        };
        status["containerStatuses"] = json!([{
            "name": "main", "image": "i", "imageID": "", "ready": pod.ready, "restartCount": pod.restarts, "state": state,
        }]);
    }
    status
}
