//! The process lists of whole clusters, per version: what a change does to any of them shows here.

use std::fmt::Write;
use std::path::PathBuf;

use jobsworth_api::{KubeVersion, Minor};
use rstest::rstest;

use super::*;
use crate::binaries::{Binary, BinarySet, DEFAULT_VERSION};
use crate::cluster::contract::layout::{Layout, Ports};
use crate::cluster::contract::spec::Rate;
use crate::cluster::machine::readiness::Sign;

fn binaries(spec: &ClusterSpec) -> BinarySet {
    let binary = |name: &str| Binary {
        path: PathBuf::from(format!("/bin/{name}")),
        sha256: String::new(),
        version: spec.version.to_string(),
    };
    BinarySet {
        kubernetes: spec.version,
        etcd: binary("etcd"),
        api_server: binary("kube-apiserver"),
        controller_manager: binary("kube-controller-manager"),
        scheduler: spec.scheduler.then(|| binary("kube-scheduler")),
        kwok: spec.kwok.then(|| binary("kwok")),
    }
}

fn list(spec: &ClusterSpec) -> String {
    let ports = Ports::fixed();
    let site = Layout::new("/cluster", ports);
    let binaries = binaries(spec);
    let mut processes = vec![
        etcd::process(spec, &binaries, &site),
        api_server::process(spec, &binaries, &site),
        controller_manager::base(spec, &binaries, &site),
        controller_manager::subject(spec, &binaries, &site),
    ];
    processes.extend(binaries.scheduler.as_ref().map(|binary| scheduler::process(spec, binary, &site)));
    processes.extend(binaries.kwok.as_ref().map(|binary| kwok::process(binary, &site)));
    let mut text = String::new();
    for process in processes {
        writeln!(text, "{}: {}", process.component, process.program.display()).unwrap();
        process.environment.iter().for_each(|(name, value)| writeln!(text, "  {name}={value}").unwrap());
        process.arguments.iter().for_each(|argument| writeln!(text, "  {argument}").unwrap());
        match process.readiness.sign {
            Sign::Says { path, contains } => writeln!(text, "  ready when {path} says `{contains}`").unwrap(),
            sign => writeln!(text, "  ready when {sign:?}").unwrap(),
        }
    }
    text
}

#[rstest]
#[case::v1_37_1("1.37.1")]
#[case::v1_36_4("1.36.4")]
#[case::v1_35_4("1.35.4")]
#[case::v1_34_4("1.34.4")]
#[case::v1_33_13("1.33.13")]
#[case::v1_32_2("1.32.2")]
fn a_plain_cluster(#[case] version: &str) {
    let spec = ClusterSpec::of(version.parse().unwrap());
    insta::assert_snapshot!(format!("plain_{}", spec.version), list(&spec));
}

#[test]
fn a_cluster_that_emulates_and_switches_a_gate() {
    let mut spec = ClusterSpec::of(KubeVersion::new(1, 35, 4));
    spec.emulated = Some(Minor::new(1, 32));
    spec.gates.insert("JobSuccessPolicy".to_owned(), false);
    insta::assert_snapshot!("emulating", list(&spec));
}

#[rstest]
#[case::alpha_of_1_35("1.35.4", "v1alpha1")]
#[case::alpha_of_1_36("1.36.4", "v1alpha2")]
#[case::beta_of_1_37("1.37.1", "v1beta1")]
fn the_workload_api_is_served_with_its_gate(#[case] version: &str, #[case] api: &str) {
    let mut spec = ClusterSpec::of(version.parse().unwrap());
    spec.gates.insert("GenericWorkload".to_owned(), true);
    assert!(list(&spec).contains(&format!("--runtime-config=scheduling.k8s.io/{api}=true")));
    spec.gates.insert("GenericWorkload".to_owned(), false);
    assert!(!list(&spec).contains("--runtime-config"));
}

#[test]
fn a_cluster_with_everything() {
    let mut spec = ClusterSpec::of(DEFAULT_VERSION);
    spec.scheduler = true;
    spec.kwok = true;
    insta::assert_snapshot!("everything", list(&spec));
}

#[test]
fn everything_listens_on_the_loopback_address_only() {
    let mut spec = ClusterSpec::of(DEFAULT_VERSION);
    spec.scheduler = true;
    spec.kwok = true;
    let text = list(&spec);
    assert!(!text.contains("=0.0.0.0"));
    assert_eq!(text.matches("--bind-address=127.0.0.1").count(), 4);
}

#[test]
fn the_subject_calls_as_often_as_the_spec_says() {
    let mut spec = ClusterSpec::of(DEFAULT_VERSION);
    spec.rate = Rate { qps: 50, burst: 60 };
    let text = list(&spec);
    assert!(text.contains("--kube-api-qps=50\n") && text.contains("--kube-api-burst=60\n"), "{text}");
}

#[test]
fn the_built_in_controller_has_as_many_workers_as_the_spec_says_and_else_its_own() {
    let mut spec = ClusterSpec::of(DEFAULT_VERSION);
    assert!(!list(&spec).contains("--concurrent-job-syncs"));
    spec.workers = Some(50);
    assert_eq!(list(&spec).matches("--concurrent-job-syncs=50\n").count(), 1, "the subject's alone");
}

#[test]
fn servers_of_which_figures_are_taken_collect_garbage_as_people_run_them() {
    let evidence = ClusterSpec::of(DEFAULT_VERSION);
    assert_eq!(list(&evidence).matches("\n  GOGC=400\n").count(), 2, "API server and etcd");
    let counting = ClusterSpec { audit: Audit::Counting, ..evidence };
    assert!(!list(&counting).contains("GOGC"));
}
