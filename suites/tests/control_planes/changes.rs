//! Clusters that are changed while they run: what is promised when it goes well, and when it does not.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use jobsworth_harness::binaries::{self, Source};
use jobsworth_harness::cluster::local::{LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{Change, Cluster, ClusterError, ClusterSpec, Component, LEFTOVERS, SubjectKind};
use jobsworth_harness::launcher::Launcher;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{ObjectMeta, PostParams};

const LAST_WORDS: &str = "storage is newer than this server";

async fn up(clusters: &Path, source: Source, spec: &ClusterSpec) -> LocalCluster {
    let provider = LocalProvider::new(source, Registry::at(clusters, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(env!("CARGO_BIN_EXE_jobsworth")));
    provider.provision_local(spec, "changed", &|_| {}).await.unwrap()
}

fn emulating() -> ClusterSpec {
    ClusterSpec { emulated: Some("1.33".parse().unwrap()), ..ClusterSpec::of("1.35.4".parse().unwrap()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_cluster_says_what_it_is_and_is_recorded_as_that() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), Source::choose(None).unwrap(), &emulating()).await;
    let subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let before = cluster.pids();
    let report = cluster.change(&Change::gate("JobPodReplacementPolicy", false)).await.unwrap();
    assert!(report.attestation.holds(), "{:#?}", report.attestation.doubts().collect::<Vec<_>>());
    let order: Vec<Component> = report.steps.iter().map(|(component, _)| *component).collect();
    assert_eq!(order, [Component::Base, Component::Subject, Component::ApiServer]);

    let record = Registry::at(clusters.path(), LEFTOVERS).record("changed").unwrap();
    assert_eq!(record.spec, cluster.spec(), "`cluster list` shows what it is now");
    assert_eq!(record.spec.gates.get("JobPodReplacementPolicy"), Some(&false));
    let pids: BTreeSet<u32> = record.processes.values().map(|running| running.pid).collect();
    assert_eq!(pids, cluster.pids().into_values().collect(), "`cluster gc` finds what runs now");
    assert_eq!(before.get(&Component::Etcd), cluster.pids().get(&Component::Etcd), "the store stays");
    assert!(cluster.unexpected_exit().borrow().is_none(), "what was ended on purpose is no casualty");

    subject.restart().await.unwrap();
    let metrics = subject.metrics().await.unwrap();
    let off = metrics.lines().any(|line| line.contains("\"JobPodReplacementPolicy\"") && line.ends_with(" 0"));
    assert!(off, "a subject that is restarted later has the gate as it was left");
    Box::new(cluster).destroy().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_made_during_a_change_is_answered_after_it() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), Source::choose(None).unwrap(), &ClusterSpec::of("1.37.1".parse().unwrap())).await;
    let _subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let writing = async {
        for number in 0..50 {
            let metadata = ObjectMeta { name: Some(format!("map-{number}")), ..ObjectMeta::default() };
            let map = ConfigMap { metadata, ..ConfigMap::default() };
            match maps.create(&PostParams::default(), &map).await {
                Ok(_) => {}
                // The first try went through, and only its answer was cut off.
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    let restart = Change::Kill(Component::ApiServer);
    let (changed, ()) = tokio::join!(cluster.change(&restart), writing);
    changed.unwrap();
    assert_eq!(maps.list(&kube::api::ListParams::default()).await.unwrap().items.len(), 51, "and the root certificate");
    Box::new(cluster).destroy().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_cannot_be_touches_nothing() {
    let clusters = tempfile::tempdir().unwrap();
    let cluster = up(clusters.path(), Source::choose(None).unwrap(), &emulating()).await;
    let _subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let before = (cluster.pids(), cluster.spec());
    let refused = cluster.change(&Change::gate("JobSuccessPolicy", false)).await;
    assert!(matches!(refused, Err(ClusterError::Refused { .. })), "{refused:?}");
    assert_eq!((cluster.pids(), cluster.spec()), before);
    Box::new(cluster).destroy().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_does_not_come_up_again_is_told_in_its_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    let (old, new) = ("1.35.4".parse().unwrap(), "1.37.1".parse().unwrap());
    for version in [old, new] {
        let set = binaries::ensure(&Source::choose(None).unwrap(), version, &BTreeSet::new(), &|_| ()).unwrap();
        let into = programs.join(version.to_string());
        fs::create_dir_all(&into).unwrap();
        for (tool, binary) in set.all().filter(|(tool, _)| version == old || *tool != binaries::Tool::ApiServer) {
            symlink(&binary.path, into.join(tool.file_name())).unwrap();
        }
    }
    let broken = programs.join(new.to_string()).join("kube-apiserver");
    fs::write(&broken, format!("#!/bin/sh\n[ \"$1\" != --version ] || {{ echo Kubernetes v{new}; exit 0; }}\necho '{LAST_WORDS}' >&2\nexit 1\n")).unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();

    let clusters = folder.path().join("clusters");
    let cluster = up(&clusters, Source::Folder(programs), &ClusterSpec::of(old)).await;
    let _subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let failed = cluster.change(&Change::Version(new)).await;
    let Err(ClusterError::Ended { component, last_lines, .. }) = failed else { panic!("{failed:?}") };
    assert_eq!(component, Component::ApiServer);
    assert!(last_lines.iter().any(|line| line == LAST_WORDS), "{last_lines:?}");
    Box::new(cluster).destroy().await.unwrap();
}
