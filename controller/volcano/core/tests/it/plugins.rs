//! What plugins make and what they put into pods (VJ-276 to VJ-293).

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_volcano_api::Job;
use jobsworth_volcano_core::build_pod::{NewPod, build_pod};
use jobsworth_volcano_core::plugin::{self, Object, ssh};
use jobsworth_volcano_core::{Profile, hosts, names};
use k8s_openapi::api::core::v1::{Container, Pod};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use crate::world::{self, task};

fn job(tasks: &[Value], plugins: Value) -> Job {
    world::job(json!({"tasks": tasks, "plugins": plugins}))
}

fn pod(job: &Job, task: &str, index: i32) -> Pod {
    let wanted = NewPod { task: task.to_owned(), index, name: names::pod(job, task, index), evicted_at: None };
    build_pod(job, &wanted, "j-u", &BTreeSet::new(), Profile::Strict).unwrap()
}

fn with_init(mut task: Value) -> Value {
    task["template"]["spec"]["initContainers"] = json!([{"name": "init"}]);
    task
}

fn containers(pod: &Pod) -> Vec<Container> {
    let spec = pod.spec.clone().unwrap();
    spec.init_containers.unwrap_or_default().into_iter().chain(spec.containers).collect()
}

/// Variables with their values; those from a `ConfigMap` as `name/key`.
fn variables(container: &Container) -> BTreeMap<String, String> {
    let value = |variable: &k8s_openapi::api::core::v1::EnvVar| {
        let from = variable.value_from.as_ref().and_then(|source| source.config_map_key_ref.as_ref());
        from.map_or_else(|| variable.value.clone().unwrap(), |from| format!("{}/{}", from.name, from.key))
    };
    container.env.iter().flatten().map(|variable| (variable.name.clone(), value(variable))).collect()
}

fn objects(job: &Job) -> Vec<Object> {
    plugin::objects(job).into_iter().flat_map(|(_, objects)| objects).collect()
}

/// VJ-277.
#[test]
fn env_tells_each_container_its_index() {
    let job = job(&[with_init(task("w", 3))], json!({"env": []}));
    for container in containers(&pod(&job, "w", 2)) {
        let expected = [("VC_TASK_INDEX", "2"), ("VK_TASK_INDEX", "2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(variables(&container), expected.into());
    }
}

/// VJ-278, VJ-279, VJ-283.
#[test]
fn svc_makes_a_service_a_policy_and_a_list_of_hosts() {
    let mut fixed = task("ps-x", 3);
    fixed["template"]["spec"]["hostname"] = json!("alone");
    fixed["template"]["spec"]["subdomain"] = json!("home");
    let job = job(&[task("w", 2), fixed], json!({"svc": ["--publish-not-ready-addresses=true"]}));
    let objects = objects(&job);
    let [Object::ConfigMap(map), Object::Service(service), Object::NetworkPolicy(policy)] = &objects[..] else {
        panic!("{objects:?}");
    };
    let data: Vec<(&str, &str)> = map.data.iter().flatten().map(|(key, value)| (&**key, &**value)).collect();
    let expected = [
        ("VC_PS_X_HOSTS", "alone.home"),
        ("VC_PS_X_NUM", "1"),
        ("VC_W_HOSTS", "j-w-0.j,j-w-1.j"),
        ("VC_W_NUM", "2"),
        ("ps_x.host", "alone.home"),
        ("w.host", "j-w-0.j\nj-w-1.j"),
    ];
    assert_eq!(data, expected);
    assert_eq!(map.metadata.name.as_deref(), Some("j-svc"));
    let spec = service.spec.as_ref().unwrap();
    assert_eq!((service.metadata.name.as_deref(), spec.cluster_ip.as_deref()), (Some("j"), Some("None")));
    let labels: BTreeMap<String, String> =
        [("volcano.sh/job-name".to_owned(), "j".to_owned()), ("volcano.sh/job-namespace".to_owned(), "n".to_owned())]
            .into();
    assert_eq!((spec.selector.as_ref(), spec.publish_not_ready_addresses), (Some(&labels), Some(true)));
    assert!(spec.ports.is_none());
    let policy = serde_json::to_value(policy.spec.as_ref().unwrap()).unwrap();
    let selector = json!({"matchLabels": labels});
    let expected = json!({
        "podSelector": selector, "ingress": [{"from": [{"podSelector": selector}]}], "policyTypes": ["Ingress"],
    });
    assert_eq!(policy, expected);
}

#[test]
fn svc_leaves_the_policy_out_when_told_to() {
    let job = job(&[task("w", 2)], json!({"svc": ["--disable-network-policy=true"]}));
    assert!(objects(&job).iter().all(|object| object.kind() != "NetworkPolicy"));
}

/// VJ-280 to VJ-282.
#[test]
fn svc_gives_pods_a_name_and_the_hosts() {
    let job = job(&[with_init(task("w", 2)), task("p", 1)], json!({"svc": []}));
    let pod = pod(&job, "w", 1);
    let spec = pod.spec.as_ref().unwrap();
    assert_eq!((spec.hostname.as_deref(), spec.subdomain.as_deref()), (Some("j-w-1"), Some("j")));
    for container in containers(&pod) {
        let mounts = container.volume_mounts.clone().unwrap();
        assert_eq!((&*mounts[0].name, &*mounts[0].mount_path), ("j-svc", "/etc/volcano"));
        let expected = ["VC_P_HOSTS", "VC_P_NUM", "VC_W_HOSTS", "VC_W_NUM"];
        assert_eq!(variables(&container), expected.map(|key| (key.to_owned(), format!("j-svc/{key}"))).into());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// VJ-279: each replica is in the list once, and the three views of the list agree.
    #[test]
    fn every_pod_has_one_host(replicas in prop::collection::vec(0i32..20, 1..4)) {
        let tasks: Vec<Value> = replicas.iter().enumerate().map(|(at, count)| task(&format!("t-{at}"), *count)).collect();
        let job = job(&tasks, json!({"svc": []}));
        let data = hosts::data(&job);
        for (at, count) in replicas.iter().enumerate() {
            let lines: Vec<&str> = data[&format!("t_{at}.host")].split_terminator('\n').collect();
            let pods: Vec<String> = (0..*count).map(|index| format!("j-t-{at}-{index}.j")).collect();
            prop_assert_eq!(&lines, &pods);
            prop_assert_eq!(&data[&format!("VC_T_{at}_HOSTS")], &pods.join(","));
            prop_assert_eq!(&data[&format!("VC_T_{at}_NUM")], &count.to_string());
        }
        prop_assert_eq!(data.len(), 3 * replicas.len());
    }
}

/// VJ-285, VJ-286.
#[rstest]
#[case::by_default("", 22)]
#[case::another_port("--ssh-port=2222", 2222)]
#[case::no_port_at_all("--ssh-port=70000", 22)]
fn ssh_wants_a_secret_with_a_configuration(#[case] argument: &str, #[case] port: i32) {
    let arguments: Vec<&str> = [argument].into_iter().filter(|argument| !argument.is_empty()).collect();
    let job = job(&[task("w", 2)], json!({"ssh": arguments}));
    let [Object::Keys(keys)] = &objects(&job)[..] else { panic!() };
    let expected = format!(
        "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n\
         Host j-w-0\n  HostName j-w-0.j\n  Port {port}\nHost j-w-1\n  HostName j-w-1.j\n  Port {port}\n"
    );
    assert_eq!((&keys.config, keys.given.is_none()), (&expected, true));
    let pair = ssh::KeyPair { private: "secret".to_owned(), public: "open".to_owned() };
    assert!(!format!("{pair:?}").contains("secret"));
    let secret = ssh::secret(&job, keys, &pair);
    let data: BTreeMap<String, String> =
        secret.data.unwrap().into_iter().map(|(k, v)| (k, String::from_utf8(v.0).unwrap())).collect();
    let files = [("authorized_keys", "open"), ("config", &*expected), ("id_rsa", "secret"), ("id_rsa.pub", "open")];
    assert_eq!(data, files.map(|(file, text)| (file.to_owned(), text.to_owned())).into());
    assert_eq!((secret.metadata.name.as_deref(), secret.metadata.owner_references.unwrap().len()), (Some("j-ssh"), 1));
}

#[test]
fn ssh_takes_keys_that_the_job_brings() {
    let job = job(&[task("w", 1)], json!({"ssh": ["--ssh-private-key=a", "--ssh-public-key=b"]}));
    let [Object::Keys(keys)] = &objects(&job)[..] else { panic!() };
    assert_eq!(keys.given, Some(ssh::KeyPair { private: "a".to_owned(), public: "b".to_owned() }));
}

/// VJ-287.
#[rstest]
#[case::roots(json!([]), concat!("/ro", "ot/.ssh"), 0o600)]
#[case::somebody_elses(json!(["--ssh-key-file-path=/opt/x/.ssh"]), "/opt/x/.ssh", 0o644)]
fn ssh_mounts_the_keys(#[case] arguments: Value, #[case] path: &str, #[case] mode: i32) {
    let job = job(&[with_init(task("w", 1))], json!({"ssh": arguments}));
    let pod = pod(&job, "w", 0);
    let volume = pod.spec.as_ref().unwrap().volumes.as_ref().unwrap()[0].secret.clone().unwrap();
    assert_eq!((volume.secret_name.as_deref(), volume.default_mode), (Some("j-ssh"), Some(mode)));
    let paths: Vec<String> = volume.items.unwrap().into_iter().map(|item| item.path).collect();
    assert_eq!(paths, [".ssh/id_rsa", ".ssh/id_rsa.pub", ".ssh/authorized_keys", ".ssh/config"]);
    for container in containers(&pod) {
        let mount = container.volume_mounts.unwrap()[0].clone();
        assert_eq!((&*mount.mount_path, mount.sub_path.as_deref()), (path, Some(".ssh")));
    }
}

/// VJ-289.
#[test]
fn mpi_tells_the_master_of_its_workers() {
    let job = job(&[with_init(task("master", 1)), task("worker", 2)], json!({"mpi": ["--port=2022"]}));
    for container in containers(&pod(&job, "master", 0)) {
        assert_eq!(variables(&container)["MPI_HOST"], "j-worker-0.j,j-worker-1.j");
        let port = container.ports.unwrap()[0].clone();
        assert_eq!((port.name.as_deref(), port.container_port), (Some("mpijob-port"), 2022));
    }
    let worker = &containers(&pod(&job, "worker", 0))[0];
    assert!(variables(worker).is_empty() && worker.ports.is_some());
}

/// VJ-290.
#[rstest]
#[case("master", 0, Some("0"))]
#[case("worker", 1, Some("2"))]
#[case("other", 0, None)]
fn pytorch_gives_ranks(#[case] of: &str, #[case] index: i32, #[case] rank: Option<&str>) {
    let job = job(&[task("master", 1), task("worker", 2), task("other", 5)], json!({"pytorch": []}));
    let container = &containers(&pod(&job, of, index))[0];
    let variables = variables(container);
    assert_eq!(variables.get("RANK").map(String::as_str), rank);
    assert_eq!((&*variables["MASTER_ADDR"], &*variables["MASTER_PORT"]), ("j-master-0.j", "23456"));
    assert_eq!(variables["WORLD_SIZE"], "3");
    assert_eq!(container.ports.as_ref().unwrap()[0].name.as_deref(), Some("pytorchjob-port"));
}

#[test]
fn pytorch_workers_wait_for_the_master_when_told_to() {
    let job = job(&[task("master", 1), task("worker", 1)], json!({"pytorch": ["--wait-master-enabled=true"]}));
    let worker = containers(&pod(&job, "worker", 0));
    assert_eq!((&*worker[0].name, worker.len()), ("wait-for-master", 2));
    assert!(worker[0].command.as_ref().unwrap()[2].contains("j-master-0.j 23456"));
    assert_eq!(containers(&pod(&job, "master", 0)).len(), 1);
}

/// VJ-291.
#[test]
fn tensorflow_describes_the_cluster() {
    let job = job(&[task("ps", 1), task("work", 2)], json!({"tensorflow": ["--worker=work", "--port", "2000"]}));
    let config: Value = serde_json::from_str(&variables(&containers(&pod(&job, "work", 1))[0])["TF_CONFIG"]).unwrap();
    let expected = json!({
        "cluster": {"ps": ["j-ps-0.j:2000"], "worker": ["j-work-0.j:2000", "j-work-1.j:2000"]},
        "task": {"type": "worker", "index": 1},
    });
    assert_eq!(config, expected);
    let alone = self::job(&[task("ps", 1)], json!({"tensorflow": []}));
    assert!(containers(&pod(&alone, "ps", 0))[0].env.is_none());
}

/// VJ-292.
#[test]
fn ray_starts_a_head_and_workers() {
    let mut head = task("head", 1);
    head["template"]["spec"]["containers"] = json!([{"name": "head"}, {"name": "other"}]);
    let mut worker = task("worker", 1);
    worker["template"]["spec"]["containers"] = json!([{"name": "worker"}]);
    let job = job(&[head, worker], json!({"ray": ["--port=7000"]}));
    let [Object::Service(service)] = &objects(&job)[..] else { panic!() };
    let spec = service.spec.clone().unwrap();
    assert_eq!((service.metadata.name.as_deref(), spec.cluster_ip), (Some("j-head-svc"), None));
    assert_eq!(spec.selector.unwrap()["volcano.sh/task-spec"], "head");
    let ports: Vec<(String, i32)> =
        spec.ports.unwrap().into_iter().map(|port| (port.name.unwrap(), port.port)).collect();
    let expected = [("gcs", 7000), ("dashboard", 8265), ("client-server", 10001)];
    assert_eq!(ports, expected.map(|(name, port)| (name.to_owned(), port)));
    let head = containers(&pod(&job, "head", 0));
    let command = "ray start --head --block --dashboard-host=0.0.0.0 --port=7000 --dashboard-port=8265 --ray-client-server-port=10001";
    assert_eq!(head[0].command.as_ref().unwrap()[2], command);
    assert_eq!((head[0].ports.as_ref().unwrap().len(), head[1].command.is_none()), (3, true));
    let worker = containers(&pod(&job, "worker", 0));
    assert_eq!(worker[0].command.as_ref().unwrap()[2], "ray start --block --address=j-head-0.j:7000");
}

/// VJ-293.
#[rstest]
#[case::of_the_master("master", 1, json!({"hcclrank": []}), Some("1"))]
#[case::of_a_worker("worker", 1, json!({"hcclrank": []}), Some("3"))]
#[case::of_neither("other", 1, json!({"hcclrank": []}), None)]
#[case::as_the_containers_are_told("worker", 1, json!({"hcclrank": [], "pytorch": []}), Some("2"))]
fn hcclrank_notes_the_rank(#[case] of: &str, #[case] index: i32, #[case] plugins: Value, #[case] rank: Option<&str>) {
    let job = job(&[task("master", 2), task("worker", 2), task("other", 2)], plugins);
    let annotations = pod(&job, of, index).metadata.annotations.unwrap();
    assert_eq!(annotations.get("hccl/rankIndex").map(String::as_str), rank);
}

#[test]
fn a_number_that_no_list_can_hold_does_no_harm() {
    let job = job(&[task("w", i32::MAX)], json!({"svc": [], "ssh": [], "tensorflow": []}));
    assert_eq!(hosts::data(&job)["VC_W_NUM"], "100000");
}
