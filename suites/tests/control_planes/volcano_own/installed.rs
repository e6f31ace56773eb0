//! Volcano that is installed in a cluster already, shown with stand-ins: Deployments that carry image and flags, and jobsworth's own
//! programs that do the work. It is attested from the Deployments, and nothing of it is touched.

use super::stand_ins::said;
use crate::volcano_bench;
use futures::TryStreamExt as _;
use jobsworth_harness::cluster::{Cluster as _, local::LocalCluster};
use k8s_openapi::{
    api::{
        admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration},
        apps::v1::Deployment,
        core::v1::{Namespace, Pod, ServiceAccount},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Client, Resource, ResourceExt as _,
    api::{Api, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt::Debug,
    path::Path,
    process::{Command, Output},
};

/// It has no pods.
const CASE: &str = "volcano-admission/defaults";
const PROGRAMS: [(&str, &str); 3] = [
    ("volcano-controllers", "vc-controller-manager"),
    ("volcano-admission", "vc-webhook-manager"),
    ("volcano-scheduler", "vc-scheduler"),
];

fn deployment(name: &str, image: &str) -> Deployment {
    let labels = json!({"app": name});
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "volcano-system"},
        "spec": {
            // What counts as ready is written below: nobody runs these.
            "paused": true,
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{
                "name": name, "image": image, "args": ["--logtostderr", "--scheduler-name=volcano", "-v=3"],
            }]}},
        },
    }))
    .unwrap()
}

/// Its Deployments, of this release.
async fn install(client: &Client, release: &str) {
    let all: Api<Deployment> = Api::namespaced(client.clone(), "volcano-system");
    for (name, program) in PROGRAMS {
        let image = format!("docker.io/volcanosh/{program}:{release}");
        all.create(&PostParams::default(), &deployment(name, &image)).await.unwrap();
    }
}

/// The Deployment controller makes no pods of one that is paused; whoever runs its pods says that they are ready.
async fn let_run(client: &Client, name: &str) {
    let pods: Api<Pod> = Api::namespaced(client.clone(), "volcano-system");
    let labelled = format!("app={name}");
    let all: Api<Deployment> = Api::namespaced(client.clone(), "volcano-system");
    let resumed = json!({"spec": {"paused": false}});
    all.patch(name, &PatchParams::default(), &Patch::Merge(resumed)).await.unwrap();
    let mut frames = Box::pin(pods.watch(&WatchParams::default().labels(&labelled), "0").await.unwrap());
    let pod = loop {
        if let WatchEvent::Added(pod) = frames.try_next().await.unwrap().unwrap() {
            break pod.name_any();
        }
    };
    let status = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    pods.patch_status(&pod, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    let mut frames =
        Box::pin(all.watch(&WatchParams::default().fields(&format!("metadata.name={name}")), "0").await.unwrap());
    loop {
        match frames.try_next().await.unwrap().unwrap() {
            WatchEvent::Added(one) | WatchEvent::Modified(one)
                if one.status.as_ref().and_then(|it| it.ready_replicas) == Some(1) =>
            {
                return;
            }
            _ => {}
        }
    }
}

async fn all_of<K>(client: &Client) -> Vec<String>
where
    K: Resource<DynamicType = ()> + Clone + Debug + serde::de::DeserializeOwned,
{
    let list = Api::<K>::all(client.clone()).list(&ListParams::default()).await.unwrap();
    let ours = |object: &K| object.namespace().is_none_or(|place| place == "volcano-system");
    let versions = list.items.into_iter().filter(ours).map(|object| {
        // Their own controllers may still write a status.
        let writers: BTreeSet<_> = object.managed_fields().iter().map(|entry| entry.manager.clone()).collect();
        let meta = object.meta();
        let told = (&meta.uid, meta.generation, &meta.labels, &meta.annotations, writers);
        format!("{} {} {told:?}", K::kind(&()), object.name_any())
    });
    versions.collect()
}

/// Everything that belongs to it, as it was made.
async fn belongings(client: &Client) -> Vec<String> {
    [
        all_of::<Deployment>(client).await,
        all_of::<ServiceAccount>(client).await,
        all_of::<CustomResourceDefinition>(client).await,
        all_of::<MutatingWebhookConfiguration>(client).await,
        all_of::<ValidatingWebhookConfiguration>(client).await,
    ]
    .concat()
}

/// `jobsworth COMMAND` against it, from another thread: somebody has to play the kubelet meanwhile.
async fn jobsworth(command: &'static str, cluster: &LocalCluster, folder: &Path, more: Vec<String>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    program.args([command, CASE, "--provider", "existing", "--context", "jobsworth", "--controller", "volcano"]);
    program.arg("--kubeconfig").arg(cluster.site().kubeconfig("administrator")).args(more).current_dir(folder);
    tokio::task::spawn_blocking(move || program.output().unwrap()).await.unwrap()
}

/// The one pod that is made before the first case.
async fn let_the_probe_run(client: Client) {
    let pods: Api<Pod> = Api::all(client.clone());
    let mut frames = Box::pin(pods.watch(&WatchParams::default().fields("metadata.name=probe"), "0").await.unwrap());
    let pod = loop {
        if let WatchEvent::Added(pod) = frames.try_next().await.unwrap().unwrap() {
            break pod;
        }
    };
    let state = json!({"running": {"startedAt": null}});
    let status = json!({"status": {"phase": "Running", "containerStatuses": [{
        "name": "main", "image": "agent", "imageID": "sha256:1", "ready": true, "restartCount": 0, "state": state,
    }]}});
    let pods: Api<Pod> = Api::namespaced(client, &pod.namespace().unwrap());
    pods.patch_status("probe", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_installed_is_attested_from_its_deployments_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let spec = volcano_bench::spec();
    let cluster = volcano_bench::cluster(&folder.path().join("clusters"), &spec, "yours").await;
    let _works = cluster.start_subject(&spec.subject).await.unwrap();
    let client = cluster.client();

    let nothing = jobsworth("plan", &cluster, folder.path(), Vec::new()).await;
    assert_eq!(nothing.status.code(), Some(2), "{}", said(&nothing));
    assert!(said(&nothing).contains("no Deployment runs vc-controller-manager"), "{}", said(&nothing));
    install(&client, "v1.15.1").await;
    let idle = jobsworth("plan", &cluster, folder.path(), Vec::new()).await;
    assert!(said(&idle).contains("no pod of volcano-system/volcano-controllers is ready"), "{}", said(&idle));
    for (name, _) in PROGRAMS {
        let_run(&client, name).await;
    }

    let before = belongings(&client).await;
    let plan = jobsworth("plan", &cluster, folder.path(), Vec::new()).await;
    assert_eq!(plan.status.code(), Some(0), "{}", said(&plan));
    for part in [
        "release of job-controller: v1.15.1",
        "flags of admission-webhook: --logtostderr --scheduler-name=volcano -v=3",
    ] {
        assert!(said(&plan).contains(part), "`{part}` is not in:\n{}", said(&plan));
    }
    let system = Api::<Namespace>::all(client.clone()).get("kube-system").await.unwrap();
    let confirmed = ["--yes-cluster", &system.uid().unwrap()[..8], "-o", "out"].map(str::to_owned).to_vec();
    let (ran, ()) =
        tokio::join!(jobsworth("run", &cluster, folder.path(), confirmed), let_the_probe_run(client.clone()));
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert_eq!(belongings(&client).await, before);

    let record: Value = serde_json::from_slice(&std::fs::read(folder.path().join("out/run.json")).unwrap()).unwrap();
    let rows = record["cells"][0]["attested"]["rows"].as_array().unwrap();
    for (component, program) in [("job-controller", PROGRAMS[0].1), ("admission-webhook", PROGRAMS[1].1)] {
        let image = rows.iter().find(|row| row["component"] == component && row["what"] == "image").unwrap();
        assert_eq!(image["found"], format!("docker.io/volcanosh/{program}:v1.15.1"));
        assert_eq!(image["ok"], true);
    }
    Box::new(cluster).destroy().await.unwrap();
}
