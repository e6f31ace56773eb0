//! The objects of a sharded run, and what its file holds.

use super::*;
use crate::yaml::{Limits, several};
use rstest::rstest;

const LIMITS: Limits = Limits { what: "manifest", largest: 1 << 20, documents: 20, depth: 50, nodes: 100_000 };

/// What is wanted, as a test changes it.
fn made(change: impl FnOnce(&mut Wanted<'_>)) -> Vec<Value> {
    telling(&["--seed=7", "ttl"], change)
}

/// The same, with these words for each slice.
fn telling(words: &[&str], change: impl FnOnce(&mut Wanted<'_>)) -> Vec<Value> {
    with_files(&BTreeMap::new(), words, change)
}

/// The same with files that go along.
fn with_files(files: &BTreeMap<String, String>, words: &[&str], change: impl FnOnce(&mut Wanted<'_>)) -> Vec<Value> {
    let gates = BTreeMap::new();
    let arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut wanted = Wanted {
        name: "nightly",
        namespace: "jobsworth",
        namespace_by: NamespaceBy::Manifests,
        slices: 3,
        image: "jobsworth:v1",
        context: "kind-ex",
        uid: "1234abcd",
        api: JobApi::Batch,
        gates: &gates,
        api_server: None,
        files,
        work: Work::Cases,
        arguments: &arguments,
    };
    change(&mut wanted);
    let objects = objects(&wanted);
    // Whoever reads the file reads the same.
    let read: Vec<Value> = several(&yaml(&wanted), "manifests", &LIMITS).unwrap();
    assert_eq!(read, objects);
    objects
}

fn kinds(objects: &[Value]) -> Vec<&str> {
    objects.iter().map(|object| object["kind"].as_str().unwrap()).collect()
}

fn job(objects: &[Value]) -> &Value {
    objects.iter().find(|object| object["kind"] == "Job").unwrap()
}

fn container(objects: &[Value]) -> &Value {
    &job(objects)["spec"]["template"]["spec"]["containers"][0]
}

#[test]
fn what_a_pod_stands_on_is_made_before_its_job() {
    let kinds_made = |change: fn(&mut Wanted<'_>)| kinds(&made(change)).join(" ");
    assert_eq!(kinds_made(|_| {}), "Namespace ServiceAccount ClusterRole ClusterRoleBinding Role RoleBinding Job");
    let plan = [("plan.yaml".to_owned(), "schema: jobsworth/plan/v1\n".to_owned())].into();
    let there = with_files(&plan, &["ttl"], |wanted| wanted.namespace_by = NamespaceBy::User);
    assert_eq!(kinds(&there).join(" "), "ServiceAccount ClusterRole ClusterRoleBinding Role RoleBinding ConfigMap Job");
}

#[test]
fn a_pod_is_told_that_its_slice_is_of_a_load() {
    let objects = telling(&["--scale=5", "smoke"], |wanted| wanted.work = Work::Load);
    let told = container(&objects)["args"].as_array().unwrap();
    assert_eq!(told[told.len() - 4..], [json!("--load"), json!("--"), json!("--scale=5"), json!("smoke")]);
}

#[test]
fn each_slice_has_one_pod_and_no_second() {
    let objects = made(|_| {});
    let spec = &job(&objects)["spec"];
    assert_eq!(spec["completionMode"], "Indexed");
    let numbers = ["completions", "parallelism", "backoffLimitPerIndex"].map(|field| spec[field].clone());
    assert_eq!(numbers, [json!(3), json!(3), json!(0)]);
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
}

#[test]
fn a_pod_is_told_its_run_and_the_cluster_that_the_user_named() {
    let objects = made(|_| {});
    let words = [
        "shard",
        "slice",
        "--of",
        "3",
        "--name",
        "nightly",
        "--namespace",
        "jobsworth",
        "--context",
        "kind-ex",
        "--yes-cluster",
        "1234abcd",
        "--",
        "--seed=7",
        "ttl",
    ];
    assert_eq!(container(&objects)["args"], json!(words));
    assert_eq!(container(&objects)["image"], "jobsworth:v1");
}

#[test]
fn what_a_user_says_stays_as_it_is_and_is_taken_for_no_variable() {
    let long = "--filter=suite(ttl) and  not (restarts() or case(ttl/zero-removes-at-once) or case(ttl/late)) or suite($(HOME))";
    let objects = telling(&[long], |_| {});
    let told = container(&objects)["args"].as_array().unwrap().last().unwrap();
    assert_eq!(told, &long.replace("$(HOME)", "$$(HOME)"));
}

#[test]
fn the_rights_are_bound_to_the_pods_alone() {
    let objects = made(|_| {});
    let [role, binding] =
        ["ClusterRole", "ClusterRoleBinding"].map(|kind| objects.iter().find(|object| object["kind"] == kind).unwrap());
    assert_eq!(role["rules"], json!(rights::role(JobApi::Batch, &BTreeMap::new())));
    assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
    let pods = json!([{"kind": "ServiceAccount", "name": "nightly", "namespace": "jobsworth"}]);
    assert_eq!(binding["subjects"], pods);
    assert_eq!(job(&objects)["spec"]["template"]["spec"]["serviceAccountName"], "nightly");
}

#[test]
fn a_pod_may_read_what_is_stored_of_it_where_its_job_is_and_nowhere_else() {
    let objects = made(|_| {});
    let [role, binding] =
        ["Role", "RoleBinding"].map(|kind| objects.iter().find(|object| object["kind"] == kind).unwrap());
    assert_eq!(role["metadata"]["namespace"], "jobsworth");
    assert_eq!(role["rules"], json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]));
    assert_eq!((&binding["roleRef"]["kind"], &binding["roleRef"]["name"]), (&json!("Role"), &role["metadata"]["name"]));
    assert_eq!(binding["subjects"][0]["name"], "nightly");
}

#[test]
fn a_pod_knows_its_job_and_has_limits() {
    let objects = made(|_| {});
    let spec = &job(&objects)["spec"];
    assert_eq!(spec["activeDeadlineSeconds"], 21_600);
    let pod = &spec["template"]["spec"];
    assert_eq!(pod["terminationGracePeriodSeconds"], 300);
    assert_eq!(pod["volumes"][0]["emptyDir"]["sizeLimit"], "2Gi");
    let variables = container(&objects)["env"].as_array().unwrap();
    let uid = variables.iter().find(|variable| variable["name"] == "JOB_UID").unwrap();
    let path = "metadata.labels['batch.kubernetes.io/controller-uid']";
    assert_eq!(uid["valueFrom"]["fieldRef"]["fieldPath"], path);
}

#[test]
fn a_plan_file_comes_along_and_is_no_result() {
    let plan = [("plan.yaml".to_owned(), "the plan\n".to_owned())].into();
    let objects = with_files(&plan, &["ttl"], |_| {});
    let map = objects.iter().find(|object| object["kind"] == "ConfigMap").unwrap();
    assert_eq!(map["data"]["plan.yaml"], "the plan\n");
    assert_eq!(map["metadata"]["labels"][LABEL], Value::Null);
    let pod = &job(&objects)["spec"]["template"]["spec"];
    assert_eq!(pod["volumes"][1]["configMap"]["name"], map["metadata"]["name"]);
    assert_eq!(pod["containers"][0]["volumeMounts"][1]["mountPath"], "/run/jobsworth-plan");
}

#[rstest]
#[case::by_its_service(None, &[])]
#[case::where_no_service_works(Some(("10.89.0.2", 6443)), &[("KUBERNETES_SERVICE_HOST", "10.89.0.2"), ("KUBERNETES_SERVICE_PORT", "6443")])]
fn the_api_server_is_reached(#[case] server: Option<(&'static str, u16)>, #[case] set: &[(&str, &str)]) {
    let objects = made(|wanted| wanted.api_server = server);
    let variables = container(&objects)["env"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let told = variables.iter().filter(|one| one.get("value").is_some());
    let found: Vec<(String, String)> = told.map(|one| (text(&one["name"]), text(&one["value"]))).collect();
    let own = [("HOME", "/run/jobsworth"), ("TMPDIR", "/run/jobsworth")];
    let expected: Vec<(String, String)> =
        own.iter().chain(set).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(found, expected);
}
