//! The main job as a user runs it: one command, a control plane, reports that others can read.

use k8s_openapi::api::core::v1::Namespace;
use kube::{
    api::{Api, ListParams},
    config::KubeConfigOptions,
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn jobsworth(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jobsworth")).args(arguments).current_dir(folder).output().unwrap()
}

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[track_caller]
fn is_valid(value: &Value, schema: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let mistakes: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(mistakes.is_empty(), "{mistakes:?} in {value}");
}

#[test]
fn one_command_leaves_reports_that_are_valid_and_can_be_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    let cases = ["ttl/zero-removes-at-once", "success-policy/leader-index-decides", "validation/decoding"];
    let ran = jobsworth(&[&["run", "-o", "out", "--seed", "7"], cases.as_slice()].concat(), folder.path());
    let (told, trouble) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{told}\n{trouble}");

    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    is_valid(&serde_json::from_str(&read("run.json")).unwrap(), &schema("run.json"));
    is_valid(&serde_json::from_str(&read("verdicts.json")).unwrap(), &schema("verdicts.json"));
    let events = schema("events.json");
    for line in read("events.ndjson").lines() {
        is_valid(&serde_json::from_str(line).unwrap(), &events);
    }
    assert!(read("junit.xml").contains("tests=\"3\""));
    assert!(read("summary.md").contains("3 passed"));

    let again = jobsworth(&["judge", "out", "--format", "json"], folder.path());
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&again.stdout), read("verdicts.json"), "byte for byte");
}

#[test]
fn a_manifest_that_the_server_refuses_is_misuse_with_the_servers_cause() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: bad}\nspec:\n  parallelism: -1\n  template:\n    \
                    spec: {restartPolicy: Never, containers: [{name: main, image: x}]}\n";
    fs::write(folder.path().join("bad.yaml"), manifest).unwrap();
    let observed = jobsworth(&["observe", "-f", "bad.yaml"], folder.path());
    let trouble = String::from_utf8_lossy(&observed.stderr);
    assert_eq!(observed.status.code(), Some(2), "{trouble}");
    assert!(trouble.contains("spec.parallelism"), "{trouble}");
}

/// The namespaces of a cluster that nobody has asked to delete.
fn namespaces_that_stay(cluster: &str, folder: &Path) -> Vec<String> {
    let path = jobsworth(&["cluster", "kubeconfig", cluster], folder).stdout;
    let kubeconfig = kube::config::Kubeconfig::read_from(String::from_utf8(path).unwrap().trim()).unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
        let namespaces: Api<Namespace> = Api::all(kube::Client::try_from(config).unwrap());
        let all = namespaces.list(&ListParams::default()).await.unwrap();
        let stay = all.items.into_iter().filter(|one| one.metadata.deletion_timestamp.is_none());
        stay.filter_map(|one| one.metadata.name).collect()
    })
}

#[test]
fn a_cluster_that_is_kept_stays_until_it_is_taken_down() {
    let folder = tempfile::tempdir().unwrap();
    let ran =
        jobsworth(&["run", "indexed-job/nothing-to-do-is-complete", "--keep", "always", "-o", "out"], folder.path());
    let told = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{told}");
    let name = told.split_whitespace().find(|word| word.starts_with("run-")).unwrap().trim_end_matches(':');
    let listed = || String::from_utf8_lossy(&jobsworth(&["cluster", "list"], folder.path()).stdout).into_owned();
    assert!(listed().contains(name), "{name} is not in {}", listed());
    assert_eq!(namespaces_that_stay(name, folder.path()), ["default", "kube-node-lease", "kube-public", "kube-system"]);
    assert!(jobsworth(&["cluster", "down", name], folder.path()).status.success());
    assert!(!listed().contains(name), "{name} is still in {}", listed());
}
