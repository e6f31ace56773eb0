//! `load` on a cluster that is there already: its controller is measured by what can be seen of it, kwok runs the pods as kubelets
//! would, what cannot be had is absent, and nothing stays.

use std::path::Path;
use std::process::Command;

use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::existing::remains;
use jobsworth_harness::cluster::local::{LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{Cluster, ClusterSpec, LEFTOVERS, SubjectKind};
use jobsworth_harness::launcher::Launcher;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");

/// Ends once, and is small: a Job of four and three of two at a pace.
const PROFILE: &str = "\
schema: jobsworth/load-profile/v1
name: tiny
says: a Job of 4 and three of 2, pods run for 200 ms
mix:
- {name: wide, jobs: 1, completions: 4}
- {name: small, jobs: 3, completions: 2, mode: NonIndexed, per-second: 5}
pods: {run-time: 200ms}
limit: 60s
";

/// A cluster with nodes on which pods run as their templates say.
async fn up(clusters: &Path) -> LocalCluster {
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(PROGRAM));
    let spec = ClusterSpec { scheduler: true, kwok: true, nodes: 1, ..ClusterSpec::of("1.37.1".parse().unwrap()) };
    provider.provision_local(&spec, "yours", &|_| {}).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_is_measured_where_it_is_and_what_cannot_be_had_is_absent() {
    let (folder, clusters) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cluster = up(clusters.path()).await;
    let _subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let client = cluster.client();
    let system = Api::<Namespace>::all(client.clone()).get("kube-system").await.unwrap();
    let uid = system.metadata.uid.unwrap();
    std::fs::write(folder.path().join("tiny.yaml"), PROFILE).unwrap();
    let mut load = Command::new(PROGRAM);
    load.args(["load", "./tiny.yaml", "--provider", "existing", "--context", "jobsworth", "--trials", "1"]);
    load.arg("--kubeconfig").arg(cluster.site().kubeconfig("administrator")).current_dir(folder.path());
    load.env_remove("JOBSWORTH_KUBERNETES").env_remove("JOBSWORTH_AGENT_IMAGE");

    let unconfirmed = load.output().unwrap();
    let told = String::from_utf8_lossy(&unconfirmed.stdout).into_owned();
    assert_eq!(unconfirmed.status.code(), Some(2), "{told}");
    assert!(told.contains("1 × tiny: 4 Jobs, up to 10 pods") && told.contains("absent    not measured"), "{told}");
    assert_eq!(remains::all(&client, None).await.unwrap(), Vec::new());

    let output = load.args(["--yes-cluster", &uid[..8]]).output().unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("a budget that is not known") && told.contains("not measured on a cluster by existing"),
        "{told}"
    );

    let text = std::fs::read_to_string(folder.path().join("load.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let absent = ["rate", "server", "stopped"].map(|key| record.get(key));
    assert_eq!(absent, [None; 3], "{record}");
    let [trial] = record["trials"].as_array().unwrap().as_slice() else { panic!("{record}") };
    assert!(trial.get("void").is_none(), "{told}");
    let absent = ["requests", "witnesses"].map(|key| trial.get(key));
    assert_eq!(absent, [None; 2], "{trial}");
    for figure in ["cpu-s", "memory-mib", "server-cpu-s", "requests", "status-writes"] {
        assert!(trial["figures"].get(figure).is_none(), "{figure}: {trial}");
    }
    assert!(
        trial["circumstances"].get("driverRequests").is_none() && trial["series"].get("requests").is_none(),
        "{trial}"
    );
    for figure in ["makespan", "first-pod.wide.p50", "pod-end-to-release.p50"] {
        assert!(trial["figures"][figure].as_f64() > Some(0.0), "{figure}: {trial}");
    }
    assert_eq!((&trial["judged"]["jobs"], &trial["judged"]["brokenJobs"]), (&4.into(), &0.into()), "{trial}");

    assert_eq!(remains::all(&client, None).await.unwrap(), Vec::new());
    Box::new(cluster).destroy().await.unwrap();
}
