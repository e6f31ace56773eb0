//! `cargo bench -p jobsworth-harness --bench figures`: what the observer of `jobsworth load` costs for each event and keeps of each pod,
//! and what each line of an audit log costs. The goals are 3 % of a core at 1,000 events a second (30 µs an event), 2 KiB a pod, and
//! 200,000 lines a second (5 µs a line).

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use jobsworth_figures::{Held, Sides, held, row};
use jobsworth_harness::load::audit::Count;
use jobsworth_harness::load::sightings::{Pod, Presence, Sightings};
use k8s_openapi::api::core::v1::Pod as FullPod;
use kube::api::WatchEvent;
use serde_json::{Value, json};

const PODS: u32 = 1000;

fn main() {
    jobsworth_figures::print(vec![event(), audited()]);
    jobsworth_figures::print_held(vec![kept()]);
}

/// What is kept of a pod that was seen four times: pending, running, ended, without its finalizer.
fn kept() -> Held {
    let ours = || {
        let mut seen = Sightings::default();
        for (at, number) in (0_u64..4).flat_map(|at| (0..PODS).map(move |number| (at, number))) {
            if let WatchEvent::Modified(pod) = read::<Pod>(&line(number)) {
                seen.pod(Duration::from_secs(at), &pod, Presence::There);
            }
        }
        seen
    };
    let naive = || {
        let pods = (0..PODS).map(|number| read::<FullPod>(&line(number)));
        pods.filter_map(|event| if let WatchEvent::Modified(pod) = event { Some(pod) } else { None })
            .collect::<Vec<_>>()
    };
    held("observer/pod", PODS as usize, ours, naive)
}

/// A line of the API server's audit log is counted.
fn audited() -> (String, Sides) {
    let line = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "5f0c7a52-0000-4000-8000-000000000001",
        "stage": "ResponseComplete", "requestURI": "/apis/batch/v1/namespaces/load/jobs/wide-0/status", "verb": "update",
        "user": {"username": "system:serviceaccount:kube-system:job-controller", "uid": "1",
            "groups": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]},
        "sourceIPs": ["127.0.0.1"], "userAgent": "kube-controller-manager/v1.37.1 (linux/amd64) kubernetes/0000000",
        "objectRef": {"resource": "jobs", "namespace": "load", "name": "wide-0", "uid": "2", "apiGroup": "batch",
            "apiVersion": "v1", "resourceVersion": "12345", "subresource": "status"},
        "responseStatus": {"metadata": {}, "code": 200},
        "requestReceivedTimestamp": "2026-01-02T03:04:05.678901Z", "stageTimestamp": "2026-01-02T03:04:05.679901Z",
        "annotations": {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "RBAC: allowed by ClusterRoleBinding"},
    })
    .to_string();
    let same = line.clone();
    let mut count = Count::default();
    let ours = move || count.take(black_box(line.as_bytes()));
    let naive = move || serde_json::from_str::<Value>(black_box(&same)).expect("JSON")["verb"] == "update";
    row("audit/line", ours, naive)
}

/// A line of a watch is read and entered, with a thousand pods known.
fn event() -> (String, Sides) {
    let mut seen = Sightings::default();
    let mut known: HashMap<String, FullPod> = HashMap::new();
    for number in 0..1000 {
        let line = line(number);
        if let WatchEvent::Modified(pod) = read::<Pod>(&line) {
            seen.pod(Duration::ZERO, &pod, Presence::There);
        }
        if let WatchEvent::Modified(pod) = read::<FullPod>(&line) {
            known.insert(pod.metadata.uid.clone().unwrap_or_default(), pod);
        }
    }
    let ours = line(500);
    let same = ours.clone();
    let ours = move || {
        if let WatchEvent::Modified(pod) = read::<Pod>(black_box(&ours)) {
            seen.pod(Duration::from_secs(1), &pod, Presence::There);
        }
    };
    let naive = move || {
        if let WatchEvent::Modified(pod) = read::<FullPod>(black_box(&same)) {
            known.insert(pod.metadata.uid.clone().unwrap_or_default(), pod);
        }
    };
    row("observer/event", ours, naive)
}

fn read<T: serde::de::DeserializeOwned>(line: &str) -> WatchEvent<T> {
    serde_json::from_str(line).expect("an event of a watch")
}

/// A finished pod of an Indexed Job as the API server sends it.
fn line(number: u32) -> String {
    let uid = format!("5f0c7a52-0000-4000-8000-{number:012}");
    let managed = |manager: &str| {
        let fields = json!({"f:metadata": {"f:annotations": {"f:batch.kubernetes.io/job-completion-index": {}}, "f:finalizers": {},
            "f:labels": {"f:batch.kubernetes.io/controller-uid": {}, "f:batch.kubernetes.io/job-name": {}, "f:job-name": {}}}});
        json!({"manager": manager, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
    };
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("job-{number}-abcde"), "namespace": "load", "uid": uid, "resourceVersion": "12345",
            "creationTimestamp": "2026-01-01T00:00:00Z", "generateName": format!("job-{number}-"),
            "annotations": {"batch.kubernetes.io/job-completion-index": number.to_string()},
            "labels": {"batch.kubernetes.io/controller-uid": "uid", "batch.kubernetes.io/job-name": "job", "job-name": "job"},
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "uid", "controller": true,
                "blockOwnerDeletion": true}],
            "managedFields": [managed("kube-controller-manager"), managed("jobsworth-pod-driver")],
        },
        "spec": {
            "containers": [{"name": "main", "image": "none.example/none", "resources": {}, "imagePullPolicy": "IfNotPresent",
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                "env": [{"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"apiVersion": "v1",
                    "fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}}]}],
            "restartPolicy": "Never", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "serviceAccountName": "default", "terminationGracePeriodSeconds": 30, "priority": 0,
        },
        "status": {"phase": "Succeeded", "qosClass": "BestEffort", "conditions": [
            {"type": "Ready", "status": "False", "reason": "PodCompleted", "lastTransitionTime": "2026-01-01T00:00:01Z"},
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        ]},
    });
    json!({"type": "MODIFIED", "object": pod}).to_string()
}
