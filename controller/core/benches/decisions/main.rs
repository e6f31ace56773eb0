//! What decisions cost, each next to a frozen naive implementation: compare `ours` with `naive`, and 10^5 with 10^4.

mod naive;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use jobsworth_api::IndexSet;
use jobsworth_core::success_policy::SuccessPolicy;
use jobsworth_core::{Gates, JobView, Limits, Memory, PodView, Snapshot, pod::Phase, reconcile};
use k8s_openapi::api::batch::v1::{self as api, Job};
use k8s_openapi::api::core::v1::Pod;

const NOW: i64 = 1_800_000_000;

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

fn index_sets(bench: &mut Criterion) {
    let set = worst(100_000);
    let text = set.to_string();
    let short = policy_text(65_536);
    let completions = 100_000;
    for (name, text) in [("one", "7"), ("64KiB", short.as_str()), ("worst1e5", text.as_str())] {
        let mut group = bench.benchmark_group(format!("indexset/parse/{name}"));
        group.bench_function("ours", |b| b.iter(|| black_box(text).parse::<IndexSet>()));
        group.bench_function("naive", |b| b.iter(|| naive::parse(black_box(text), completions)));
    }
    let intervals = naive::parse(&text, completions);
    let new: Vec<u32> = (0..500).map(|n| n * 3 + 2).collect();
    let new_set: IndexSet = new.iter().copied().collect();
    let new_naive: Vec<i64> = new.iter().map(|n| i64::from(*n)).collect();
    let mut group = bench.benchmark_group("indexset/insert/500");
    group.bench_function("ours", |b| b.iter(|| black_box(&set).union(black_box(&new_set))));
    group.bench_function("naive", |b| b.iter(|| naive::merge(black_box(&intervals), black_box(&new_naive))));
    group.finish();
    let mut group = bench.benchmark_group("indexset/format/worst1e5");
    group.bench_function("ours", |b| b.iter(|| black_box(&set).to_string()));
    group.bench_function("naive", |b| b.iter(|| naive::format(black_box(&intervals))));
    group.finish();
    let listed: IndexSet = short.parse().expect("a list of indexes");
    let listed_naive = naive::parse(&short, completions);
    let mut group = bench.benchmark_group("indexset/intersect_count");
    group.bench_function("ours", |b| b.iter(|| black_box(&listed).shared(black_box(&set))));
    group.bench_function("naive", |b| b.iter(|| naive::matching(black_box(&listed_naive), black_box(&intervals))));
    group.finish();
    bench.bench_function("indexset/subset/ours", |b| b.iter(|| black_box(&listed).is_subset(black_box(&set))));
    bench.bench_function("indexset/sparse_max/ours", |b| {
        b.iter(|| IndexSet::below(black_box(u32::MAX / 2)).minus(&IndexSet::from_iter([5])).len())
    });
}

fn policies(bench: &mut Criterion) {
    let set = worst(100_000);
    let intervals = naive::parse(&set.to_string(), 100_000);
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
    for (name, rules) in cases {
        let policy = SuccessPolicy::parse(&api::SuccessPolicy { rules: rules.clone() }).expect("a policy");
        let mut group = bench.benchmark_group(format!("policy/eval/{name}"));
        group.bench_function("ours", |b| b.iter(|| black_box(&policy).satisfied_by(black_box(&set))));
        let naive = || {
            rules.iter().position(|rule| match (&rule.succeeded_indexes, rule.succeeded_count) {
                (Some(text), _) => {
                    let listed = naive::parse(text, 100_000);
                    naive::matching(&listed, &intervals) >= naive::total(&listed)
                }
                (None, count) => naive::total(&intervals) >= i64::from(count.unwrap_or_default()),
            })
        };
        group.bench_function("naive", |b| b.iter(|| black_box(naive())));
    }
}

fn syncs(bench: &mut Criterion) {
    let now = Timestamp::from_second(NOW).expect("a time");
    let memory = Memory::default();
    let mut scenes = Vec::new();
    for (name, count) in [("500", 500), ("1e4", 10_000), ("1e5", 100_000)] {
        scenes.push((format!("sync/noop/{name}"), IndexSet::new(), count, 0));
    }
    for (name, count) in [("1e4", 10_000), ("1e5", 100_000)] {
        let done = (0..count / 2).filter(|index| index % 3 != 2).collect();
        scenes.push((format!("sync/500_finished_of_{name}"), done, count, 500));
    }
    for (name, done, completions, ended) in scenes {
        let first = if done.is_empty() { 0 } else { completions / 2 };
        let (ours, theirs) = pods(first, completions - first, ended);
        let text = done.to_string();
        let mut job = job(completions, &text, done.len());
        job.status.active = completions - first - ended;
        let pods: Vec<&PodView> = ours.iter().collect();
        let mut group = bench.benchmark_group(&name);
        group.bench_function("ours", |b| {
            let seen = Snapshot { job: &job, pods: &pods, pods_revision: 1 };
            b.iter(|| reconcile(black_box(&seen), &memory, now, &Gates::V1_36, &Limits::UPSTREAM))
        });
        group.bench_function("naive", |b| {
            b.iter(|| naive::sync(black_box(&theirs), black_box(&text), i64::from(completions)))
        });
    }
    let job = job(100_000, &worst(100_000).to_string(), 66_667);
    let same = job.status.clone();
    bench.bench_function("status/diff/ours", |b| b.iter(|| black_box(&job.status) == black_box(&same)));
    assert!(Arc::ptr_eq(&job.status.completed, &same.completed));
}

fn brief() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots()
}

criterion_group! { name = decisions; config = brief(); targets = index_sets, policies, syncs }
criterion_main!(decisions);
