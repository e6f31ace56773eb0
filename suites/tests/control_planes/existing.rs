//! A cluster that is there already: what is refused, what is made in it, and that nothing stays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use futures::TryStreamExt as _;
use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::existing::{ClusterConnection, ExistingProvider, Survey, remains};
use jobsworth_harness::cluster::local::{LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::subject_kind::JobApi;
use jobsworth_harness::cluster::{Cluster, ClusterProvider, ClusterSpec, LEFTOVERS};
use jobsworth_harness::launcher::Launcher;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Namespace, Pod, ResourceQuota};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
const CONTEXT: &str = "jobsworth";

async fn up(clusters: &Path) -> LocalCluster {
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(PROGRAM));
    provider.provision_local(&ClusterSpec::of("1.37.1".parse().unwrap()), "yours", &|_| {}).await.unwrap()
}

fn kubeconfig(cluster: &LocalCluster, identity: &str) -> PathBuf {
    cluster.site().kubeconfig(identity)
}

fn jobsworth(command: &str, kubeconfig: &Path, more: &[&str]) -> Output {
    let mut program = Command::new(PROGRAM);
    program.args([command, "--provider", "existing", "--context", CONTEXT, "--seed", "1", "--kubeconfig"]);
    program.arg(kubeconfig).args(more).current_dir(std::env::temp_dir());
    // Wherever these lead, it is not where we go.
    program.env("KUBECONFIG", "/nowhere").env_remove("JOBSWORTH_KUBECONFIG").env_remove("JOBSWORTH_CONTEXT");
    program.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[track_caller]
fn refused(output: &Output, says: &str) {
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}{}", text(&output.stdout));
    assert!(told.contains(says), "`{says}` is not in:\n{told}");
}

async fn namespaces(client: &kube::Client) -> Vec<String> {
    let list = Api::<Namespace>::all(client.clone()).list(&ListParams::default()).await.unwrap();
    list.items.into_iter().filter_map(|namespace| namespace.metadata.name).collect()
}

async fn make(client: &kube::Client, name: &str, labels: Value, annotations: Value) -> Namespace {
    let object = json!({"metadata": {"name": name, "labels": labels, "annotations": annotations}});
    let namespace: Namespace = serde_json::from_value(object).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap()
}

async fn survey(kubeconfig: &Path) -> (ClusterConnection, Survey) {
    let connection = ClusterConnection::open(Some(kubeconfig), Some(CONTEXT)).await.unwrap();
    let survey = Survey::take(&connection, JobApi::Batch, None).await.unwrap();
    (connection, survey)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_is_looked_at_and_nothing_is_made_before_the_user_has_named_it() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path()).await;
    let client = cluster.client();
    let before = namespaces(&client).await;
    let config = kubeconfig(&cluster, "administrator");
    let content = fs::read(&config).unwrap();
    let system = Api::<Namespace>::all(client.clone()).get("kube-system").await.unwrap();
    let uid = system.metadata.uid.unwrap();
    let short = &uid[..8];

    let plan = jobsworth("plan", &config, &["-E", "suite(ttl)"]);
    let told = text(&plan.stdout);
    assert_eq!(plan.status.code(), Some(0), "{told}{}", text(&plan.stderr));
    for part in [&*format!("--yes-cluster {short}"), "Kubernetes v1.37.1", "restarts the subject: this provider cannot"]
    {
        assert!(told.contains(part), "`{part}` is not in:\n{told}");
    }

    let unconfirmed = jobsworth("run", &config, &[]);
    refused(&unconfirmed, &format!("add --yes-cluster {short}"));
    assert!(text(&unconfirmed.stdout).contains("makes     a namespace jw-<case>"), "the plan comes first");
    refused(&jobsworth("run", &config, &["--yes-cluster", "00000000"]), &format!("and this cluster is {short}"));
    refused(&jobsworth("run", &config, &["--kubernetes", "1.35.4"]), "ask for Kubernetes 1.35.4, and it has 1.37.1");
    refused(&jobsworth("run", &config, &["-P", "gates"]), "cells, and one cluster is one cell");
    refused(
        &jobsworth("plan", &kubeconfig(&cluster, "job-controller"), &[]),
        "its user may not create, delete, get, list namespaces",
    );

    assert_eq!(namespaces(&client).await, before);
    assert_eq!(fs::read(&config).unwrap(), content);
    Box::new(cluster).destroy().await.unwrap();
    refused(&jobsworth("plan", &config, &[]), "failed to read the kubeconfig");
}

/// Plays the kubelet for the one pod that is made, and says what it found around it.
async fn let_the_probe_run(client: kube::Client) -> (Namespace, ResourceQuota, usize) {
    let pods: Api<Pod> = Api::all(client.clone());
    let only = "metadata.name=probe";
    let from = pods.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap_or_default();
    let mut frames = Box::pin(pods.watch(&WatchParams::default().fields(only), &from).await.unwrap());
    let pod = loop {
        if let WatchEvent::Added(pod) = frames.try_next().await.unwrap().unwrap() {
            break pod;
        }
    };
    let place = pod.metadata.namespace.unwrap();
    let around = Api::<Namespace>::all(client.clone()).get(&place).await.unwrap();
    let quota = Api::<ResourceQuota>::namespaced(client.clone(), &place).get("jobsworth").await.unwrap();
    let policies: Api<NetworkPolicy> = Api::namespaced(client.clone(), &place);
    let policies = policies.list(&ListParams::default()).await.unwrap().items.len();
    let state = json!({"running": {"startedAt": null}});
    let status = json!({"status": {"phase": "Running", "containerStatuses": [{
        "name": "main", "image": "agent", "imageID": "sha256:1", "ready": true, "restartCount": 0, "state": state,
    }]}});
    let pods: Api<Pod> = Api::namespaced(client, &place);
    pods.patch_status("probe", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    (around, quota, policies)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_is_fenced_and_goes_and_what_others_made_stays() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path()).await;
    let client = cluster.client();
    let config = kubeconfig(&cluster, "administrator");
    make(&client, "jw-like-ours", json!({}), json!({"jobsworth.dev/expires": "2020-01-01T00:00:00Z"})).await;
    let ours = json!({"jobsworth.dev/run": "run-dead", "jobsworth.dev/owner": "jane"});
    make(&client, "jw-dead", ours.clone(), json!({"jobsworth.dev/expires": "2020-01-01T00:00:00Z"})).await;

    let (connection, survey) = survey(&config).await;
    assert_eq!(survey.expired.len(), 1, "{:?}", survey.expired);
    let spec = ClusterSpec::of("1.37.1".parse().unwrap());
    let provider = ExistingProvider::new(connection, survey, None);
    let (taken, (around, quota, policies)) =
        tokio::join!(provider.provision(&spec, "run-mine", &|_| {}), let_the_probe_run(client.clone()));
    let taken = taken.unwrap();
    let labels = around.metadata.labels.unwrap();
    assert_eq!(labels["jobsworth.dev/run"], "run-mine");
    assert!(around.metadata.annotations.unwrap().contains_key("jobsworth.dev/expires"));
    assert_eq!(quota.spec.unwrap().hard.unwrap()["pods"].0, "30");
    assert_eq!(policies, 1);
    assert_eq!(taken.binaries()[0].1, "sha256:1");
    let there = namespaces(&client).await;
    assert!(!there.contains(&"jw-dead".to_owned()), "{there:?}");

    // As a case leaves it: a Job that nobody lets go.
    make(&client, "jw-mine", json!({"jobsworth.dev/run": "run-mine"}), json!({})).await;
    let held = json!({
        "metadata": {"name": "held", "finalizers": ["example.com/held"]},
        "spec": {"suspend": true, "template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}],
        }}},
    });
    let held: Job = serde_json::from_value(held).unwrap();
    Api::namespaced(client.clone(), "jw-mine").create(&PostParams::default(), &held).await.unwrap();
    taken.destroy().await.unwrap();
    assert_eq!(remains::all(&client, None).await.unwrap(), Vec::new());
    assert!(namespaces(&client).await.contains(&"jw-like-ours".to_owned()), "it has no label of ours");

    let beside =
        json!({"jobsworth.dev/run": "run-other", "jobsworth.dev/owner": "jane", "jobsworth.dev/sharing": "nightly"});
    make(&client, "jw-beside", beside, json!({"jobsworth.dev/expires": "2999-01-01T00:00:00Z"})).await;
    refused(&jobsworth("plan", &config, &[]), "jw-beside of run-other by jane");
    refused(&jobsworth("plan", &config, &["--sharing", "weekly"]), "jw-beside of run-other by jane");
    let shared = jobsworth("plan", &config, &["--sharing", "nightly"]);
    assert_eq!(shared.status.code(), Some(0), "{}", text(&shared.stderr));
    assert!(text(&shared.stdout).contains("--sharing nightly"), "{}", text(&shared.stdout));
    make(&client, "jw-alive", ours, json!({"jobsworth.dev/expires": "2999-01-01T00:00:00Z"})).await;
    refused(&jobsworth("plan", &config, &[]), "jw-alive of run-dead by jane until 2999-01-01T00:00:00Z");
    Box::new(cluster).destroy().await.unwrap();
}
