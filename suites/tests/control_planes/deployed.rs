//! A controller in pods, put into a cluster that is there already: what is made, how its end is heard, and that nothing stays.
//! No kubelet runs here, so its part is played; `in_pods.rs` has real ones.

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use futures::TryStreamExt as _;
use jobsworth_harness::{
    binaries::Source,
    cluster::{
        Cluster, ClusterProvider, ClusterSpec, Component, LEFTOVERS, SubjectKind,
        existing::{ClusterConnection, ExistingProvider, Survey},
        local::{LocalCluster, LocalProvider},
        registry::Registry,
        subject_kind::JobApi,
    },
    launcher::Launcher,
    plan::controller,
};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Namespace, Pod},
    rbac::v1::{ClusterRole, ClusterRoleBinding},
};
use kube::{
    Api, ResourceExt as _,
    api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
/// The garbage collector works in its own time.
const GONE_WITHIN: Duration = Duration::from_secs(60);

async fn up(clusters: &Path) -> LocalCluster {
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(PROGRAM));
    provider.provision_local(&ClusterSpec::of("1.37.1".parse().unwrap()), "yours", &|_| {}).await.unwrap()
}

/// The same cluster as one that is there already, taken into use by a run.
async fn taken(cluster: &LocalCluster) -> Box<dyn Cluster> {
    let config = cluster.site().kubeconfig("administrator");
    let connection = ClusterConnection::open(Some(&config), Some("jobsworth")).await.unwrap();
    let survey = Survey::take(&connection, JobApi::Batch, None).await.unwrap();
    let provider = ExistingProvider::new(connection, survey, None);
    provider.provision(&ClusterSpec::of("1.37.1".parse().unwrap()), "run-mine", &|_| {}).await.unwrap()
}

/// The worked example, with another text of its manifest.
fn example(folder: &Path, change: impl Fn(&str) -> String) -> SubjectKind {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/own-controller/deployment.yaml");
    let manifest = folder.join("deployment.yaml");
    fs::write(&manifest, change(&fs::read_to_string(source).unwrap())).unwrap();
    let text = format!(
        "schema: jobsworth/controller/v1\nname: small\nimage: {{name: 'example.com/small:v1'}}\nmanifests: ['{}']\n\
         ownership: {{managed-by: example.com/small}}\n",
        manifest.display()
    );
    controller::parse(&text, "small.yaml").unwrap().kind
}

/// A status as a kubelet writes it; what runs is ready.
fn status(restarts: u32, state: &Value, last: &Value) -> Value {
    let ready = state["running"].is_object();
    json!({"status": {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": if ready { "True" } else { "False" }}],
        "containerStatuses": [{
            "name": "main", "image": "i", "imageID": "sha256:1", "ready": ready, "restartCount": restarts,
            "state": state, "lastState": last,
        }],
    }})
}

/// Plays the kubelet: the pod of the probe runs, and pods of controllers come to what `of_controllers` says.
async fn play(client: kube::Client, of_controllers: Value) {
    let pods: Api<Pod> = Api::all(client.clone());
    let from = pods.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap_or_default();
    let mut frames = Box::pin(pods.watch(&WatchParams::default(), &from).await.unwrap());
    let running = status(0, &json!({"running": {"startedAt": null}}), &json!({}));
    while let Some(frame) = frames.try_next().await.unwrap() {
        let WatchEvent::Added(pod) = frame else { continue };
        let status = if pod.name_any() == "probe" { &running } else { &of_controllers };
        let pods: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap());
        pods.patch_status(&pod.name_any(), &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    }
}

/// Whatever a controller could leave behind, by kind and name.
async fn there(client: &kube::Client) -> BTreeSet<String> {
    let all = ListParams::default();
    let namespaces = Api::<Namespace>::all(client.clone()).list(&all).await.unwrap();
    let roles = Api::<ClusterRole>::all(client.clone()).list(&all).await.unwrap();
    let bindings = Api::<ClusterRoleBinding>::all(client.clone()).list(&all).await.unwrap();
    let names = namespaces.items.iter().map(|object| format!("namespace {}", object.name_any()));
    let names = names.chain(roles.items.iter().map(|object| format!("role {}", object.name_any())));
    names.chain(bindings.items.iter().map(|object| format!("binding {}", object.name_any()))).collect()
}

async fn pods(client: &kube::Client) -> Vec<Pod> {
    Api::<Pod>::all(client.clone()).list(&ListParams::default().labels("app=small")).await.unwrap().items
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_in_pods_is_put_there_killed_and_heard_and_goes_with_its_run() {
    let (clusters, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cluster = up(clusters.path()).await;
    let client = cluster.client();
    let before = there(&client).await;
    let kubelet = tokio::spawn(play(client.clone(), status(0, &json!({"running": {"startedAt": null}}), &json!({}))));
    let taken = taken(&cluster).await;
    let subject = taken.start_subject(&example(folder.path(), str::to_owned)).await.unwrap();

    let first = pods(&client).await.remove(0);
    let namespace = first.namespace().unwrap();
    let around = Api::<Namespace>::all(client.clone()).get(&namespace).await.unwrap();
    assert_eq!(around.labels()["jobsworth.dev/run"], "run-mine");
    assert!(around.annotations().contains_key("jobsworth.dev/expires"));
    let deployment = Api::<Deployment>::namespaced(client.clone(), &namespace).get("small").await.unwrap();
    let container = deployment.spec.template.spec.unwrap().containers.remove(0);
    assert_eq!(container.image.as_deref(), Some("example.com/small:v1"));
    assert!(container.args.unwrap().contains(&"--manager=example.com/small".to_owned()));
    let role = Api::<ClusterRole>::all(client.clone()).get(&namespace).await.unwrap();
    assert_eq!(role.owner_references()[0].uid, around.uid().unwrap());

    subject.restart().await.unwrap();
    let second = pods(&client).await.remove(0);
    assert_ne!(first.uid(), second.uid());

    let ended = json!({"terminated": {"exitCode": 2, "reason": "Error", "startedAt": null, "finishedAt": null}});
    let again = status(1, &json!({"running": {"startedAt": null}}), &ended);
    let own: Api<Pod> = Api::namespaced(client.clone(), &namespace);
    own.patch_status(&second.name_any(), &PatchParams::default(), &Patch::Merge(again)).await.unwrap();
    let mut exit = taken.unexpected_exit();
    let heard =
        tokio::time::timeout(GONE_WITHIN, exit.wait_for(Option::is_some)).await.unwrap().unwrap().clone().unwrap();
    assert_eq!((heard.component, heard.status.as_str()), (Component::Subject, "exit code 2 (Error)"));

    taken.destroy().await.unwrap();
    assert_eq!(there(&client).await, before);
    kubelet.abort();
    Box::new(cluster).destroy().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_that_does_not_start_is_told_and_what_was_made_goes_also_when_nobody_says_so() {
    let (clusters, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cluster = up(clusters.path()).await;
    let client = cluster.client();
    let ended = json!({"terminated": {"exitCode": 2, "reason": "Error", "startedAt": null, "finishedAt": null}});
    let looping = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}});
    let kubelet = tokio::spawn(play(client.clone(), status(2, &looping, &ended)));
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let taken_by_others: ClusterRole = serde_json::from_value(json!({"metadata": {"name": "others"}})).unwrap();
    roles.create(&PostParams::default(), &taken_by_others).await.unwrap();
    let before = there(&client).await;

    let first = taken(&cluster).await;
    let told = first.start_subject(&example(folder.path(), str::to_owned)).await.err().unwrap().to_string();
    for words in ["job-controller ready", "CrashLoopBackOff: back-off 10s", "exit code 2 (Error)", "pod small-"] {
        assert!(told.contains(words), "`{words}` is not in: {told}");
    }
    first.destroy().await.unwrap();
    assert_eq!(there(&client).await, before);

    let second = taken(&cluster).await;
    let over = |text: &str| text.replacen("metadata: {name: \"{namespace}\"}", "metadata: {name: others}", 1);
    let told = second.start_subject(&example(folder.path(), over)).await.err().unwrap().to_string();
    assert!(told.contains("failed to install ClusterRole others: there is one already"), "{told}");
    // As after a panic, or where somebody insists on the end.
    drop(second);
    let mut look = tokio::time::interval(Duration::from_millis(200));
    let gone = async {
        while there(&client).await != before {
            look.tick().await;
        }
    };
    tokio::time::timeout(GONE_WITHIN, gone).await.unwrap();
    kubelet.abort();
    Box::new(cluster).destroy().await.unwrap();
}
