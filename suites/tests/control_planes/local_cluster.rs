//! The local provider against real control planes: what it promises about starts, ends and secrecy.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::daemon::{AttachOptions, Hold, attach_or_start};
use jobsworth_harness::cluster::local::{LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::{Registry, Running};
use jobsworth_harness::cluster::{
    Cluster, ClusterError, ClusterSpec, Component, LEFTOVERS, Step, SubjectKind, attest, process,
};
use jobsworth_harness::launcher::Launcher;
use jobsworth_harness::run::{Cell, execute::run_case, prepared_cell::PreparedCell};
use jobsworth_harness::subject::Subject;
use jobsworth_oracle::timeline::Ending;
use jobsworth_suites::words::{self, About, Case, Claim, Expectations, Needs, Scene, Stop, counted, pods};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{Api, DeleteParams, PostParams};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
/// Slow machines exist; nothing here takes this long.
const LIMIT: Duration = Duration::from_secs(60);

fn spec(version: &str) -> ClusterSpec {
    ClusterSpec::of(version.parse().unwrap())
}

fn provider(clusters: &Path) -> LocalProvider {
    LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters, LEFTOVERS))
        .launched_by(Launcher::at(PROGRAM))
}

async fn up(clusters: &Path, spec: &ClusterSpec) -> LocalCluster {
    provider(clusters).provision_local(spec, "tested", &|_| {}).await.unwrap()
}

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let mut look = tokio::time::interval(Duration::from_millis(50));
    let waiting = async {
        while !holds().await {
            look.tick().await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.unwrap_or_else(|_| panic!("{what}: not within a minute"));
}

fn lives(running: Running) -> bool {
    process::start_time(running.pid) == Some(running.start_time)
}

/// Whether a process was called with this path.
fn somebody_works_in(folder: &Path) -> bool {
    let folder = folder.to_string_lossy().into_owned();
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path().join("cmdline")));
    let ours = |text: Vec<u8>| String::from_utf8_lossy(&text).contains(&folder);
    processes.filter_map(|path| std::fs::read(path).ok()).any(ours)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stops_waiting_for_a_cluster_leaves_nothing_behind() {
    let clusters = tempfile::tempdir().unwrap();
    let started = tokio::sync::Notify::new();
    let progress = |step: Step| {
        if matches!(step, Step::Ready(Component::Etcd, _)) {
            assert!(somebody_works_in(clusters.path()));
            started.notify_one();
        }
    };
    let (provider, spec) = (provider(clusters.path()), spec("1.37.1"));
    tokio::select! {
        biased;
        () = started.notified() => {}
        up = provider.provision_local(&spec, "tested", &progress) => panic!("nobody waits for {:?}", up.err()),
    }
    until("its processes to be gone", async || !somebody_works_in(clusters.path())).await;
    assert_eq!(std::fs::read_dir(clusters.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_proves_what_it_is_and_leaves_nothing_behind() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), &spec("1.37.1")).await;
    let subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let attestation = attest::attest(&cluster).await.unwrap();
    assert!(attestation.holds(), "{:#?}", attestation.doubts().collect::<Vec<_>>());

    subject.crash().await.unwrap();
    assert!(subject.metrics().await.is_err(), "a crashed subject does not answer");
    subject.restart().await.unwrap();
    subject.pause().await.unwrap();
    let answer = tokio::time::timeout(Duration::from_millis(500), subject.metrics()).await;
    assert!(answer.is_err(), "a paused subject does not answer");
    subject.resume().await.unwrap();
    assert!(subject.metrics().await.unwrap().contains("process_start_time_seconds"));
    assert!(cluster.unexpected_exit().borrow().is_none(), "what we asked for is no casualty");

    let record = Registry::at(clusters.path(), LEFTOVERS).record("tested").unwrap();
    let folder = cluster.site().folder().to_owned();
    Box::new(cluster).destroy().await.unwrap();
    assert!(!folder.exists());
    assert!(!record.processes.values().any(|&running| lives(running)));
}

#[tokio::test(flavor = "multi_thread")]
async fn emulation_frees_a_locked_gate() {
    let clusters = tempfile::tempdir().unwrap();
    let mut spec = spec("1.35.4");
    spec.emulated = Some("1.32".parse().unwrap());
    spec.gates.insert("JobSuccessPolicy".to_owned(), false);
    let cluster = up(clusters.path(), &spec).await;
    cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let attestation = attest::attest(&cluster).await.unwrap();
    assert!(attestation.holds(), "{:#?}", attestation.doubts().collect::<Vec<_>>());
    let off = attestation.rows.iter().filter(|row| row.what.ends_with("JobSuccessPolicy") && row.found == "false");
    assert_eq!(off.count(), 3, "API server, base and subject");
    Box::new(cluster).destroy().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_all_that_strangers_see() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), &spec("1.37.1")).await;
    let stranger = |component| {
        let mut config = kube::Config::new(cluster.site().url(component).parse().unwrap());
        let pem = std::fs::read_to_string(cluster.site().authority_certificate()).unwrap();
        config.root_cert = Some(vec![decoded(&pem)]);
        kube::Client::try_from(config).unwrap()
    };
    let asked = async |component, path: &str| {
        let request = http::Request::get(path).body(Vec::new()).unwrap();
        match stranger(component).request_text(request).await {
            Ok(_) => 200,
            Err(kube::Error::Api(status)) => status.code,
            Err(_) => 0,
        }
    };
    assert_eq!(asked(Component::ApiServer, "/readyz").await, 200);
    for path in ["/api/v1/pods", "/version", "/metrics", "/debug/pprof/"] {
        assert_eq!(asked(Component::ApiServer, path).await, 401, "{path}");
    }
    assert!([401, 403].contains(&asked(Component::Base, "/metrics").await));
    assert_eq!(asked(Component::Etcd, "/metrics").await, 0, "etcd wants a certificate before anything else");
    Box::new(cluster).destroy().await.unwrap();
}

fn decoded(pem: &str) -> Vec<u8> {
    use rustls::pki_types::{CertificateDer, pem::PemObject};
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_dies_is_reported_with_its_status() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), &spec("1.37.1")).await;
    let record = Registry::at(clusters.path(), LEFTOVERS).record("tested").unwrap();
    let mut unexpected_exit = cluster.unexpected_exit();
    kill(record.processes[&Component::Base]);
    let seen = tokio::time::timeout(LIMIT, unexpected_exit.wait_for(Option::is_some)).await.unwrap().unwrap().clone();
    let seen = seen.unwrap();
    assert_eq!(seen.component, Component::Base);
    assert!(seen.status.contains("SIGKILL"), "{}", seen.status);
    Box::new(cluster).destroy().await.unwrap();
}

fn kill(running: Running) {
    assert!(lives(running));
    let status = std::process::Command::new("kill").args(["-9", &running.pid.to_string()]).status().unwrap();
    assert!(status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_fails_quotes_the_component_at_once() {
    let clusters = tempfile::tempdir().unwrap();
    let mut spec = spec("1.37.1");
    spec.gates.insert("NoSuchGate".to_owned(), true);
    let provider = provider(clusters.path());
    let failed = provider.provision_local(&spec, "tested", &|_| {});
    let error = tokio::time::timeout(Duration::from_secs(20), failed).await.unwrap().unwrap_err();
    assert!(matches!(error, ClusterError::Ended { component: Component::ApiServer, .. }), "{error}");
    assert!(error.to_string().contains("unrecognized feature gate: NoSuchGate"), "{error}");
    assert!(!clusters.path().join("tested").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_cluster_serves_its_users_and_dies_with_its_holder() {
    let clusters = tempfile::tempdir().unwrap();
    let options = AttachOptions {
        registry: Registry::at(clusters.path(), LEFTOVERS),
        source: Source::choose(None).unwrap(),
        launcher: Launcher::at(PROGRAM),
        hold: Hold::UntilUnused,
    };
    let spec = spec("1.37.1");
    let join = || attach_or_start("shared", &spec, &options, &|_| {});
    let (one, other) = tokio::join!(join(), join());
    let (one, other) = (one.unwrap(), other.unwrap());
    let subject = one.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    subject.crash().await.unwrap();
    assert!(subject.metrics().await.is_err());
    subject.restart().await.unwrap();
    assert!(attest::attest(&other).await.unwrap().holds());

    let record = options.registry.record("shared").unwrap();
    kill(record.owner);
    until("the kernel ends the components", async || !record.processes.values().any(|&running| lives(running))).await;
    assert_eq!(options.registry.gc().unwrap().removed, ["shared"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_cluster_goes_when_nobody_uses_it() {
    let clusters = tempfile::tempdir().unwrap();
    let options = AttachOptions {
        registry: Registry::at(clusters.path(), LEFTOVERS),
        source: Source::choose(None).unwrap(),
        launcher: Launcher::at(PROGRAM),
        hold: Hold::UntilUnused,
    };
    let cluster = attach_or_start("shared", &spec("1.37.1"), &options, &|_| {}).await.unwrap();
    drop(cluster);
    until("the cluster goes", async || !clusters.path().join("shared").exists()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_leave_what_their_golden_pairs_say() {
    let clusters = tempfile::tempdir().unwrap();
    let mut spec = spec("1.37.1");
    spec.kwok = true;
    let cluster = up(clusters.path(), &spec).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/stages/golden");
    let mut seen = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let (input, output) = text.split_once("---\n").unwrap();
        let mut input: Value = yaml(input);
        if let Some(reference) = input.pointer_mut("/metadata/ownerReferences/0") {
            // An owner that does not exist would have the pod collected as garbage.
            let owner = owner(&cluster).await.metadata;
            reference["name"] = owner.name.into();
            reference["uid"] = owner.uid.into();
        }
        if input["kind"] == "Node" {
            play(&Api::<Node>::all(cluster.client()), input, &yaml(output)).await;
        } else {
            play(&Api::<Pod>::default_namespaced(cluster.client()), input, &yaml(output)).await;
        }
        seen.insert(entry.file_name());
    }
    assert_eq!(seen.len(), 7);
    Box::new(cluster).destroy().await.unwrap();
}

/// A Job that does nothing.
async fn owner(cluster: &LocalCluster) -> Job {
    let jobs: Api<Job> = Api::default_namespaced(cluster.client());
    let job: Job = serde_json::from_value(json!({
        "metadata": { "generateName": "golden-" },
        "spec": { "suspend": true, "template": { "spec": {
            "restartPolicy": "Never",
            "containers": [{ "name": "main", "image": "none" }],
        }}},
    }))
    .unwrap();
    jobs.create(&PostParams::default(), &job).await.unwrap()
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

/// Creates the object, deletes it if it says so, and waits until its status has what is expected.
async fn play<K>(api: &Api<K>, input: Value, expected: &Value)
where
    K: kube::Resource + Clone + DeserializeOwned + serde::Serialize + std::fmt::Debug,
{
    let name = input["metadata"]["name"].as_str().unwrap().to_owned();
    let object: K = serde_json::from_value(input.clone()).unwrap();
    // A namespace's service account comes a moment after the namespace.
    until(&name, async || api.create(&PostParams::default(), &object).await.is_ok()).await;
    if input["metadata"]["annotations"]["jobsworth.dev/then"] == "delete" {
        until(&name, async || {
            let found = serde_json::to_value(api.get_opt(&name).await.unwrap()).unwrap();
            found["status"]["phase"] == "Running"
        })
        .await;
        api.delete(&name, &DeleteParams::default().grace_period(5)).await.unwrap();
    }
    until(&name, async || {
        let found = api.get_opt(&name).await.unwrap();
        let found = serde_json::to_value(found).unwrap();
        if expected["status"].is_null() { found.is_null() } else { covers(&found["status"], &expected["status"]) }
    })
    .await;
}

/// Whether `found` has everything that `expected` names; lists by position of the first that fits.
fn covers(found: &Value, expected: &Value) -> bool {
    match expected {
        Value::Object(fields) => fields.iter().all(|(key, value)| covers(&found[key], value)),
        Value::Array(items) => items
            .iter()
            .all(|item| found.as_array().is_some_and(|found| found.iter().any(|candidate| covers(candidate, item)))),
        value => found == value,
    }
}

/// Kills the subject and waits for what nobody does then.
struct LeavesTheSubjectDead;

impl Case for LeavesTheSubjectDead {
    fn about(&self) -> About {
        let claim = Claim { source: words::Source::JobController, section: "none", says: "nothing" };
        let needs = Needs { restarts_subject: true, ..Needs::default() };
        About { id: "local-cluster/leaves-the-subject-dead", claim, requirements: &["SYN-001"], needs }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.subject().crash().await?;
        scene.submit(counted(1, 1)).await?;
        scene.wait_up_to(Duration::from_secs(1), pods().count(1)).await
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_case_that_leaves_the_subject_dead_harms_none_after_it() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), &spec("1.37.1")).await;
    let cell = Cell::of("cell".to_owned(), "local", &Subject::built_in(), cluster.spec());
    let run = clusters.path().join("run");
    let Ok(stage) = PreparedCell::set(&cell, Box::new(cluster), run, 1).await else { panic!("it is as asked for") };
    let report = run_case(&stage, &LeavesTheSubjectDead, 1, watch::channel(None).1).await.unwrap();
    assert!(matches!(report.ending, Ending::Stalled { .. }), "{:?}", report.ending);
    assert!(stage.subject.metrics().await.is_ok(), "the next case finds it alive");
    stage.cluster.destroy().await.unwrap();
}
