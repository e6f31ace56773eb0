//! The controller and the webhook as they are deployed: by the kustomization of this repository, word for word.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use jobsworth_harness::{
    cluster::kind::program_image::ProgramImage,
    subject::{Subject, checkout},
};
use serde_json::Value;

use super::{
    cluster::{Site, until},
    names,
};

/// The image that the manifests name, as a runtime stores it.
const IMAGE: &str = "docker.io/library/jobsworth-volcano:0.1.0";
const NAMESPACE: &str = "volcano-system";
/// As the folder's README says.
const APPLY: &str = "kubectl apply --server-side -k /deploy";
const CONFIGURATIONS: &str = "mutatingwebhookconfigurations,validatingwebhookconfigurations";

/// Puts everything into the cluster, and waits as the README says.
pub async fn made(site: &Site) {
    tokio::task::spawn_blocking(program).await.unwrap();
    let (program, libraries) = (stripped(&path_of_program()), libraries(&path_of_program()));
    names::load(site, &ProgramImage { name: IMAGE, program: "jobsworth-volcano", content: &program, more: &libraries })
        .await;
    for (name, text) in files() {
        site.feed(&format!("mkdir -p /deploy; cat > /deploy/{name}"), text).await;
    }
    site.shell(APPLY).await;
    for part in ["webhook", "controller"] {
        site.shell(&format!("kubectl -n {NAMESPACE} rollout status deployment/jobsworth-volcano-{part} --timeout=90s"))
            .await;
    }
    // A Service knows its pods a moment after they are ready.
    until("the webhook is reached", async || {
        site.attempt("kubectl apply --dry-run=server -f /deploy/queues.yaml").await.map(drop)
    })
    .await;
    site.shell("kubectl apply -f /deploy/queues.yaml").await;
    until("both queues are open", async || {
        let found = site.shell("kubectl get queues -o jsonpath='{.items[*].status.state}'").await;
        if found.trim() == "Open Open" { Ok(()) } else { Err(found) }
    })
    .await;
}

/// Two of each, made trustworthy by a Job that is done; doing it again changes nothing.
pub async fn is_as_its_manifests_say(site: &Site) {
    for part in ["webhook", "controller"] {
        let found = site.get(NAMESPACE, &format!("deployment/jobsworth-volcano-{part}")).await;
        assert_eq!(found["status"]["readyReplicas"], 2, "{part}: {found:#}");
    }
    site.shell(&format!(
        "kubectl -n {NAMESPACE} wait --for=condition=Complete job/jobsworth-volcano-certificate --timeout=30s"
    ))
    .await;
    let before = bundles(site).await;
    assert_eq!(before.len(), 4);
    assert!(before.iter().all(|bundle| bundle.len() > 100), "{before:?}");
    site.shell(APPLY).await;
    assert_eq!(bundles(site).await, before);
}

/// Whom each configuration trusts.
async fn bundles(site: &Site) -> Vec<String> {
    let found = site.get(NAMESPACE, CONFIGURATIONS).await;
    let ours =
        |item: &&Value| item["metadata"]["name"].as_str().is_some_and(|name| name.starts_with("volcano-admission"));
    let items = found["items"].as_array().unwrap().iter().filter(ours);
    items.map(|item| item["webhooks"][0]["clientConfig"]["caBundle"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Takes away the replica that leads, and waits until another does: the one that was there, or the one that comes for it, which may be
/// sooner at the lease that was given back.
pub async fn its_leader_goes(site: &Site) {
    let holder = async || {
        let lease = site.get("kube-system", "lease/jobsworth-volcano-controller").await;
        lease["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned()
    };
    let before = holder().await;
    let pods = site.get(NAMESPACE, "pods -l app.kubernetes.io/name=jobsworth-volcano-controller").await;
    let mut names = pods["items"].as_array().unwrap().iter().filter_map(|pod| pod["metadata"]["name"].as_str());
    let leader = names.find(|name| before.starts_with(name)).unwrap_or_else(|| panic!("{before} is no pod"));
    site.shell(&format!("kubectl -n {NAMESPACE} delete pod {leader} --wait=false")).await;
    until("another replica leads", async || {
        let now = holder().await;
        if now.is_empty() || now == before { Err(format!("`{now}` does")) } else { Ok(()) }
    })
    .await;
}

/// What is in the folder of the deployment, but its words.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../controller/deploy/volcano");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let manifests = files.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    manifests
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn path_of_program() -> PathBuf {
    Subject::volcano_reference().kind.program().unwrap().to_owned()
}

/// Makes the program if it is older than its sources.
fn program() {
    checkout::make_ready(&path_of_program(), &|_| {}).unwrap();
}

/// Without what only a debugger reads: four fifths of it.
fn stripped(program: &Path) -> Vec<u8> {
    let into = tempfile::NamedTempFile::new().unwrap();
    let stripped = Command::new("strip").arg("-o").arg(into.path()).arg(program).status().unwrap();
    assert!(stripped.success());
    fs::read(into.path()).unwrap()
}

/// The C library that it was built for, and what else it is linked with: none for a target without shared libraries.
fn libraries(program: &Path) -> Vec<(String, Vec<u8>)> {
    let said = Command::new("ldd").arg(program).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let places = said.split_whitespace().filter(|word| word.starts_with('/'));
    places.map(|place| (place.trim_start_matches('/').to_owned(), fs::read(place).unwrap())).collect()
}
