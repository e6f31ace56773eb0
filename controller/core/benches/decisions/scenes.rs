//! The operations that are measured, each in our way and in the naive one.

use std::hint::black_box;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_api::IndexSet;
use jobsworth_core::success_policy::SuccessPolicy;
use jobsworth_core::{Gates, JobView, Limits, Memory, PodView, Snapshot, pod::Phase, reconcile};
use jobsworth_figures::{Sides, alone, row};
use k8s_openapi::api::batch::v1::{self as api, Job};
use k8s_openapi::api::core::v1::Pod;

use crate::naive;

const NOW: i64 = 1_800_000_000;

/// Every row, in the order in which it is shown.
pub fn all() -> Vec<(String, Sides)> {
    let mut all = index_sets();
    all.extend(policies());
    all.extend(statuses());
    all.extend(syncs());
    all.extend(decodes());
    all
}

/// `0-1,3-4,...`: nothing joins, the longest text for so many completions.
fn worst(below: u32) -> IndexSet {
    (0..below).filter(|index| index % 3 != 2).collect()
}

/// Alternate indexes as text, up to this many bytes.
fn policy_text(bytes: usize) -> String {
    let mut text = String::from("0");
    let mut index = 2;
    while text.len() + 7 < bytes {
        text.push_str(&format!(",{index}"));
        index += 2;
    }
    text
}

fn index_sets() -> Vec<(String, Sides)> {
    let set = worst(100_000);
    let text = set.to_text();
    let short = policy_text(65_536);
    let mut all = Vec::new();
    for (name, text) in [("1", "7".to_owned()), ("64KiB", short.clone()), ("worst1e5", text.clone())] {
        let other = text.clone();
        all.push(row(
            &format!("indexset/parse/{name}"),
            move || black_box(&text).parse::<IndexSet>(),
            move || naive::parse(black_box(&other), 100_000),
        ));
    }
    let intervals = naive::parse(&text, 100_000);
    for count in [1, 500] {
        let new: Vec<i64> = (0..count).map(|n| n * 3 + 2).collect();
        let new_set: IndexSet = (0..count).map(|n| (n * 3 + 2) as u32).collect();
        let (set, intervals) = (set.clone(), intervals.clone());
        all.push(row(
            &format!("indexset/insert/{count}"),
            move || black_box(&set).union(black_box(&new_set)),
            move || naive::merge(black_box(&intervals), black_box(&new)),
        ));
    }
    let (ours, theirs) = (set.clone(), intervals.clone());
    all.push(row(
        "indexset/next_pending/500",
        move || black_box(&ours).missing(100_000, 500),
        move || naive::pending(black_box(&theirs), 100_000, 500),
    ));
    let listed: IndexSet = short.parse().expect("a list of indexes");
    let even: IndexSet = (0..100_000).filter(|index| index % 2 == 0 || index % 3 == 0).collect();
    let (few, evens) = (naive::parse(&short, 100_000), naive::parse(&even.to_text(), 100_000));
    let (a, b) = (listed.clone(), even.clone());
    let (x, y) = (few.clone(), evens);
    all.push(row(
        "indexset/subset",
        move || black_box(&a).is_subset(black_box(&b)),
        move || naive::matching(black_box(&x), black_box(&y)) >= naive::total(&x),
    ));
    let (a, x) = (set.clone(), intervals.clone());
    all.push(row(
        "indexset/intersect_count",
        move || black_box(&listed).shared(black_box(&a)),
        move || naive::matching(black_box(&few), black_box(&x)),
    ));
    all.push(row(
        "indexset/format/worst1e5",
        move || black_box(&set).to_text(),
        move || naive::format(black_box(&intervals)),
    ));
    let sparse = || IndexSet::below(black_box(u32::MAX / 2)).minus(&IndexSet::from_iter([5])).len();
    all.push(alone("indexset/sparse_max", sparse));
    all
}

fn policies() -> Vec<(String, Sides)> {
    let set = worst(100_000);
    let text = policy_text(65_536);
    let rule = |count, indexes: Option<&str>| api::SuccessPolicyRule {
        succeeded_count: count,
        succeeded_indexes: indexes.map(str::to_owned),
    };
    let cases = [
        ("count", vec![rule(Some(99_999), None)]),
        ("64KiB", vec![rule(None, Some(&text))]),
        ("20x64KiB", vec![rule(None, Some(&text)); 20]),
    ];
    let side = |(name, rules): (&str, Vec<api::SuccessPolicyRule>)| {
        let policy = SuccessPolicy::parse(&api::SuccessPolicy { rules: rules.clone() });
        let (set, intervals) = (set.clone(), naive::parse(&set.to_text(), 100_000));
        let naive = move || {
            rules.iter().position(|rule| match (&rule.succeeded_indexes, rule.succeeded_count) {
                (Some(text), _) => {
                    let listed = naive::parse(text, 100_000);
                    naive::matching(&listed, &intervals) >= naive::total(&listed)
                }
                (None, count) => naive::total(&intervals) >= i64::from(count.unwrap_or_default()),
            })
        };
        row(&format!("policy/eval/{name}"), move || black_box(&policy).satisfied_by(black_box(&set)), naive)
    };
    cases.into_iter().map(side).collect()
}

fn statuses() -> Vec<(String, Sides)> {
    let job = job(100_000, &worst(100_000).to_text(), 66_667);
    let same = job.status.clone();
    assert!(Arc::ptr_eq(&job.status.completed, &same.completed));
    let (old, new) = (job.status.to_api(), same.to_api());
    let set = naive::parse(&worst(100_000).to_text(), 100_000);
    vec![row(
        "status/diff",
        move || black_box(&job.status) == black_box(&same),
        // Upstream makes the text in order to compare it.
        move || old == new && old.completed_indexes.as_deref() == Some(naive::format(black_box(&set)).as_str()),
    )]
}

fn job(completions: u32, text: &str, succeeded: u64) -> JobView {
    let object = serde_json::json!({
        "metadata": {"name": "j", "namespace": "n", "uid": "job", "resourceVersion": "1", "generation": 1},
        "spec": {
            "completions": completions, "parallelism": completions, "completionMode": "Indexed",
            "selector": {"matchLabels": {"job": "j"}}, "template": {"spec": {"containers": []}},
        },
        "status": {
            "startTime": "2026-01-01T00:00:00Z", "completedIndexes": text, "succeeded": succeeded,
            "ready": 0, "terminating": 0, "active": u64::from(completions) - succeeded,
        },
    });
    JobView::parse(&serde_json::from_value::<Job>(object).expect("a Job")).expect("a Job with all fields")
}

fn pod() -> PodView {
    let object = serde_json::json!({
        "metadata": {
            "name": "p", "uid": "p", "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z",
            "finalizers": ["batch.kubernetes.io/job-tracking"], "labels": {"job": "j"},
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": true}],
        },
        "spec": {"containers": [], "nodeName": "n"}, "status": {"phase": "Running"},
    });
    PodView::parse(&serde_json::from_value::<Pod>(object).expect("a pod")).expect("a pod with all fields")
}

/// A finished pod of the size that they have in practice, and a Job with a policy of 64 KiB.
fn decodes() -> Vec<(String, Sides)> {
    let owned = |number: u32| {
        serde_json::json!({"manager": format!("m{number}"), "operation": "Update", "apiVersion": "v1",
        "fieldsV1": {"f:metadata": {"f:annotations": {"f:a": {}, "f:b": {}}, "f:labels": {"f:c": {}, "f:d": {}}},
            "f:spec": {"f:containers": {"k:main": {"f:image": {}, "f:env": {}, "f:resources": {}}}, "f:dnsPolicy": {}}}})
    };
    let variable =
        |number: u32| serde_json::json!({"name": format!("VARIABLE_{number}"), "value": "a value of some length"});
    let condition = |kind: &str| {
        serde_json::json!({"type": kind, "status": "True", "lastProbeTime": null,
        "lastTransitionTime": "2026-01-01T00:00:00Z"})
    };
    let conditions = ["PodScheduled", "Initialized", "Ready"].map(condition);
    let ended = serde_json::json!({"terminated": {"exitCode": 0, "reason": "Completed", "containerID": "containerd://0123456789",
        "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:09Z"}});
    let pod = serde_json::json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "j-7-abcde", "generateName": "j-7-", "namespace": "n", "uid": "u", "resourceVersion": "1",
            "creationTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["batch.kubernetes.io/job-tracking"],
            "labels": {"batch.kubernetes.io/job-name": "j", "batch.kubernetes.io/controller-uid": "job", "job-name": "j"},
            "annotations": {"batch.kubernetes.io/job-completion-index": "7"},
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": true}],
            "managedFields": (0..4).map(owned).collect::<Vec<_>>(),
        },
        "spec": {"nodeName": "node", "restartPolicy": "Never", "dnsPolicy": "ClusterFirst", "containers": [{
            "name": "main", "image": "registry/image:tag", "command": ["run", "it"], "env": (0..12).map(variable).collect::<Vec<_>>(),
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "128Mi"}},
        }]},
        "status": {
            "phase": "Succeeded", "podIP": "10.0.0.1", "hostIP": "10.0.0.2",
            "conditions": conditions,
            "containerStatuses": [{"name": "main", "restartCount": 0, "image": "i", "imageID": "d", "ready": false, "state": ended}],
        },
    });
    let pod = pod.to_string();
    let same = pod.clone();
    let lean = row(
        "decode/pod",
        move || PodView::parse(&jobsworth_core::pod::skim(black_box(&pod)).expect("a pod")),
        move || PodView::parse(&serde_json::from_str::<Pod>(black_box(&same)).expect("a pod")),
    );
    let rule = serde_json::json!({"rules": [{"succeededIndexes": policy_text(65_536)}]});
    let job = serde_json::json!({
        "metadata": {"name": "j", "namespace": "n", "uid": "job", "resourceVersion": "1", "generation": 1},
        "spec": {"completions": 100_000, "completionMode": "Indexed", "successPolicy": rule, "template": {"spec": {"containers": []}}},
    });
    let job = job.to_string();
    let same = job.clone();
    let read = |text: &str| serde_json::from_str::<Job>(text).expect("a Job");
    let known = JobView::parse(&read(&job)).expect("a Job with all fields");
    // Upstream reads the policy again in each sync.
    let naive = move || {
        let job = read(black_box(&same));
        let policy = job.spec.as_ref().and_then(|spec| spec.success_policy.clone());
        let lists = policy.into_iter().flat_map(|policy| policy.rules).filter_map(|rule| rule.succeeded_indexes);
        lists.map(|text| naive::parse(&text, 100_000).len()).sum::<usize>()
    };
    vec![lean, row("decode/job_64KiB", move || JobView::parse_after(&read(black_box(&job)), Some(&known)), naive)]
}

/// Running pods with the indexes from `first`, the first few of them ended.
fn pods(first: u32, count: u32, ended: u32) -> (Vec<PodView>, Vec<naive::Pod>) {
    let template = pod();
    let ours = |at: u32| PodView {
        uid: format!("uid-{at:06}").into(),
        name: format!("j-{at:06}").into(),
        index: Some(first + at),
        phase: if at < ended { Phase::Succeeded } else { Phase::Running },
        ..template.clone()
    };
    let theirs = |at: u32| naive::Pod {
        uid: format!("uid-{at:06}"),
        annotations: [("batch.kubernetes.io/job-completion-index".to_owned(), (first + at).to_string())].into(),
        active: at >= ended,
        succeeded: at < ended,
    };
    ((0..count).map(ours).collect(), (0..count).map(theirs).collect())
}

/// Nothing changed; nothing changed and nothing is remembered (a cold start); 500 pods have ended.
fn syncs() -> Vec<(String, Sides)> {
    let mut all = Vec::new();
    for (name, count) in [("500", 500), ("1e4", 10_000), ("1e5", 100_000)] {
        all.push(sync(&format!("sync/noop/{name}"), IndexSet::new(), count, 0, true));
    }
    for (name, count) in [("1e4", 10_000), ("1e5", 100_000)] {
        let done = (0..count / 2).filter(|index| index % 3 != 2).collect();
        all.push(sync(&format!("sync/500_finished_of_{name}"), done, count, 500, false));
    }
    for (name, count) in [("1e4", 10_000), ("1e5", 100_000)] {
        all.push(sync(&format!("sync/rebuild/{name}"), IndexSet::new(), count, 0, false));
    }
    all
}

fn sync(name: &str, done: IndexSet, completions: u32, ended: u32, remembers: bool) -> (String, Sides) {
    let now = Timestamp::from_second(NOW).expect("a time");
    let first = if done.is_empty() { 0 } else { completions / 2 };
    let (ours, theirs) = pods(first, completions - first, ended);
    let text = done.to_text();
    let mut job = job(completions, &text, done.len());
    job.status.active = completions - first - ended;
    // The scene lives as long as the process; a snapshot borrows it.
    let pods: &'static [PodView] = ours.leak();
    let pods: Vec<&PodView> = pods.iter().collect();
    let mut memory = Memory::default();
    let look = move |memory: &Memory| {
        let seen = Snapshot { job: &job, pods: &pods, pods_revision: 1 };
        reconcile(black_box(&seen), memory, now, &Gates::V1_36, &Limits::UPSTREAM)
    };
    if remembers {
        memory = look(&memory).memory;
    }
    row(name, move || look(&memory), move || naive::sync(black_box(&theirs), black_box(&text), i64::from(completions)))
}
