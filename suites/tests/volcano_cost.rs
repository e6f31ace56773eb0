//! What 1,000 pods in one Job and 1,000 Jobs of one pod cost jobsworth's two controllers, of Volcano's Jobs and of Kubernetes' own, on
//! the same machine in the same run: processor, memory, requests, time.
//!
//! `cargo build --release -p jobsworth-volcano -p jobsworth-controller`, then
//! `JOBSWORTH_COST_PROGRAMS=target/release cargo test -p jobsworth --features e2e --test volcano_cost -- --nocapture`.
//! `JOBSWORTH_COST_SIZE` is how many there are.
#![cfg(feature = "e2e")]
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

#[path = "volcano_cost/bill.rs"]
mod bill;
#[path = "volcano_cost/player.rs"]
mod player;
#[path = "control_planes/volcano_bench.rs"]
#[expect(dead_code, reason = "the programs that are measured may be elsewhere")]
mod volcano_bench;

use bill::{Bill, Meter};
use jobsworth_api::KubeVersion;
use jobsworth_harness::cluster::{
    Audit, Cluster as _, ClusterSpec, ControllerProgram, SubjectKind, local::LocalCluster, subject_kind::JobApi,
};
use jobsworth_harness::subject::{Subject, checkout};
use player::Player;
use serde_json::{Value, json};
use std::{collections::BTreeMap, env, io::Write as _, path::PathBuf, time::Duration};

/// Volcano's over the other's, in processor time.
const CPU_AT_MOST: f64 = 2.0;
/// How long one shape may take per pod: seven requests take 70 ms of the budget, and machines may be busy.
const LIMIT_PER_POD: Duration = Duration::from_secs(1);
const START: Duration = Duration::from_secs(60);

/// How the pods are spread over Jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    OneJob,
    JobsOfOne,
}

impl Shape {
    /// Jobs, and pods in each.
    fn sizes(self, size: u32) -> (u32, u32) {
        match self {
            Self::OneJob => (1, size),
            Self::JobsOfOne => (size, 1),
        }
    }

    fn words(self, size: u32) -> String {
        match self {
            Self::OneJob => format!("{size} pods in one Job"),
            Self::JobsOfOne => format!("{size} Jobs of one pod"),
        }
    }
}

fn job(api: JobApi, name: &str, pods: u32) -> Value {
    let template = json!({"spec": {
        "restartPolicy": "Never", "containers": [{"name": "main", "image": "jobsworth.invalid/agent:v1"}],
    }});
    let (metadata, api_version) = (json!({"name": name}), api.to_string());
    let spec = match api {
        JobApi::Batch => json!({"completions": pods, "parallelism": pods, "template": template}),
        JobApi::Volcano => json!({"tasks": [{"name": "w", "replicas": pods, "template": template}]}),
    };
    json!({"apiVersion": api_version, "kind": "Job", "metadata": metadata, "spec": spec})
}

/// The program of this name as users build it, where it was said where that is, and as this test does otherwise.
fn located(kind: SubjectKind) -> SubjectKind {
    let SubjectKind::Program(program) = kind else { panic!("{kind:?}") };
    let Some(folder) = env::var_os("JOBSWORTH_COST_PROGRAMS").map(PathBuf::from) else {
        let tell = |line: &str| drop(writeln!(std::io::stderr(), "{line}"));
        checkout::make_ready(&program.program, &tell).unwrap();
        return SubjectKind::Program(program);
    };
    // Tests run in the folder of their package.
    let folder = if folder.is_absolute() { folder } else { PathBuf::from("..").join(folder) };
    let there = folder.join(program.program.file_name().unwrap()).canonicalize().unwrap();
    // Its webhook is no part of the bill and stays as it is.
    SubjectKind::Program(ControllerProgram { program: there, ..program })
}

/// Does both shapes on a control plane of this controller, each by a process of its own.
async fn done(subject: Subject, size: u32) -> BTreeMap<Shape, Bill> {
    let folder = tempfile::tempdir().unwrap();
    let kind = located(subject.kind);
    let spec = ClusterSpec {
        subject: kind.clone(),
        audit: Audit::Counting,
        nodes: 1,
        ..ClusterSpec::of(KubeVersion::new(1, 37, 1))
    };
    let cluster = volcano_bench::cluster(&folder.path().join("clusters"), &spec, "volcano-cost").await;
    let running = cluster.start_subject(&kind).await.unwrap();
    let mut bills = BTreeMap::new();
    for shape in [Shape::OneJob, Shape::JobsOfOne] {
        running.restart().await.unwrap();
        bills.insert(shape, worked(&cluster, &kind, shape, size).await);
    }
    Box::new(cluster).destroy().await.unwrap();
    bills
}

async fn worked(cluster: &LocalCluster, kind: &SubjectKind, shape: Shape, size: u32) -> Bill {
    let (jobs, pods) = shape.sizes(size);
    let namespace = if shape == Shape::OneJob { "one-job" } else { "jobs-of-one" };
    let api = kind.api();
    let player = Player::start(cluster.client(), namespace, api).await;
    // It works when it has done one, and then all of its caches are filled.
    player.submit(&job(api, "first", 1)).await;
    player.until_ended(1, START).await;
    let meter = Meter::begin(cluster, kind);
    for number in 0..jobs {
        player.submit(&job(api, &format!("job-{number}"), pods)).await;
    }
    player.until_ended(jobs as usize + 1, START + LIMIT_PER_POD * size).await;
    let took = meter.elapsed();
    player.until_quiet(cluster).await;
    assert_eq!(player.pods_made(), size as usize + 1, "every pod was made once");
    meter.bill(cluster, took)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_pods_and_a_thousand_jobs_cost_about_what_kubernetes_own_jobs_do() {
    let size: u32 = env::var("JOBSWORTH_COST_SIZE").map_or(1000, |size| size.parse().unwrap());
    let theirs = done(Subject::reference(), size).await;
    let ours = done(Subject::volcano_reference(), size).await;
    println!("| what | figure | Volcano's Jobs | Kubernetes' Jobs | ratio |\n|---|---|---|---|---|");
    let mut dear = Vec::new();
    for (shape, bill) in &ours {
        for (figure, of_ours, of_theirs) in bill.against(&theirs[shape]) {
            let (what, ratio) = (shape.words(size), of_ours / of_theirs);
            println!("| {what} | {figure} | {of_ours:.1} | {of_theirs:.1} | {ratio:.2} |");
            if figure.starts_with("CPU") && ratio > CPU_AT_MOST {
                dear.push(format!("{what}: {ratio:.2} times the processor time"));
            }
        }
    }
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}
