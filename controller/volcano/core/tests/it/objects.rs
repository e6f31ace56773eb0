//! Pods, groups and what gangs use (VJ-240 to VJ-262).

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_volcano_api::{Job, PodGroup};
use jobsworth_volcano_core::build_pod::{NewPod, build_pod};
use jobsworth_volcano_core::min_resources::{Priorities, min_resources};
use jobsworth_volcano_core::{Profile, pod_group};
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;
use serde_json::{Value, json};

use crate::world::{self, task};

fn build(job: &Job, task: &str, index: i32) -> Pod {
    let wanted = NewPod { task: task.to_owned(), index, name: format!("j-{task}-{index}"), evicted_at: None };
    build_pod(job, &wanted, "j-u", &BTreeSet::new(), Profile::Strict).unwrap()
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// VJ-240 to VJ-244.
#[test]
fn a_pod_has_the_metadata_of_its_template_and_of_its_place() {
    let mut w = task("w", 3);
    w["template"]["metadata"] =
        json!({"name": "x", "namespace": "y", "labels": {"app": "a"}, "annotations": {"note": "b"}});
    let mut job = world::job(json!({"tasks": [w], "queue": "q"}));
    job.status = Some(serde_json::from_value(json!({"version": 4, "retryCount": 2})).unwrap());
    let pod = build(&job, "w", 2);
    let meta = pod.metadata;
    assert_eq!((meta.name.as_deref(), meta.namespace.as_deref()), (Some("j-w-2"), Some("n")));
    let labels = [
        ("app", "a"),
        ("volcano.sh/job-name", "j"),
        ("volcano.sh/job-namespace", "n"),
        ("volcano.sh/queue-name", "q"),
        ("volcano.sh/task-index", "2"),
        ("volcano.sh/task-spec", "w"),
    ];
    assert_eq!(meta.labels.unwrap(), map(&labels));
    let annotations = [
        ("note", "b"),
        ("scheduling.k8s.io/group-name", "j-u"),
        ("volcano.sh/job-name", "j"),
        ("volcano.sh/job-retry-count", "2"),
        ("volcano.sh/job-version", "4"),
        ("volcano.sh/queue-name", "q"),
        ("volcano.sh/task-index", "2"),
        ("volcano.sh/task-spec", "w"),
        ("volcano.sh/template-uid", "j-w"),
    ];
    assert_eq!(meta.annotations.unwrap(), map(&annotations));
    let owner = &meta.owner_references.unwrap()[0];
    assert_eq!((&*owner.api_version, &*owner.kind, &*owner.uid), ("batch.volcano.sh/v1alpha1", "Job", "u"));
    assert_eq!((owner.controller, owner.block_owner_deletion), (Some(true), Some(true)));
}

/// VJ-245, VJ-234.
#[test]
fn a_pod_takes_over_what_the_job_says_of_preemption_and_has_its_partition() {
    let mut w = task("w", 4);
    w["topologyPolicy"] = json!("restricted");
    w["partitionPolicy"] = json!({"totalPartitions": 2, "partitionSize": 2});
    let mut job = world::job(json!({"tasks": [w]}));
    let all = [
        ("volcano.sh/preemptable", "true"),
        ("volcano.sh/cooldown-time", "1m"),
        ("volcano.sh/revocable-zone", "z"),
        ("volcano.sh/jdb-min-available", "1"),
        ("volcano.sh/jdb-max-unavailable", "2"),
        ("mine", "own"),
    ];
    (job.metadata.labels, job.metadata.annotations) = (Some(map(&all)), Some(map(&all)));
    let pod = build(&job, "w", 3);
    let (labels, annotations) = (pod.metadata.labels.unwrap(), pod.metadata.annotations.unwrap());
    let of = |map: &BTreeMap<String, String>| -> Vec<String> {
        let known = |key: &&str| map.contains_key(*key);
        all.iter()
            .map(|(key, _)| *key)
            .filter(known)
            .map(|key| key.trim_start_matches("volcano.sh/").to_owned())
            .collect()
    };
    assert_eq!(of(&labels), ["preemptable", "cooldown-time"]);
    assert_eq!(of(&annotations), ["preemptable", "cooldown-time", "revocable-zone", "jdb-min-available"]);
    assert_eq!(annotations["volcano.sh/numa-topology-policy"], "restricted");
    assert_eq!(labels["volcano.sh/partition-id"], "1");
}

/// VJ-246.
#[test]
fn what_the_template_leaves_open_is_the_jobs() {
    let mut b = task("b", 1);
    b["template"]["spec"]["schedulerName"] = json!("mine");
    b["template"]["spec"]["priorityClassName"] = json!("high");
    let job = world::job(json!({"tasks": [task("a", 1), b], "schedulerName": "volcano", "priorityClassName": "low"}));
    let of = |task| {
        let spec = build(&job, task, 0).spec.unwrap();
        (spec.scheduler_name.unwrap(), spec.priority_class_name.unwrap())
    };
    assert_eq!(of("a"), ("volcano".to_owned(), "low".to_owned()));
    assert_eq!(of("b"), ("mine".to_owned(), "high".to_owned()));
}

/// VJ-247.
#[test]
fn volumes_are_in_every_container_and_one_claim_is_mounted_once() {
    let mut w = task("w", 1);
    w["template"]["spec"]["containers"] = json!([{"name": "main"}, {"name": "side"}]);
    w["template"]["spec"]["initContainers"] = json!([{"name": "init"}]);
    let volumes = json!([
        {"mountPath": "/a", "volumeClaimName": "one"},
        {"mountPath": "/b", "volumeClaimName": "two"},
        {"mountPath": "/c", "volumeClaimName": "one"},
    ]);
    let job = world::job(json!({"tasks": [w], "volumes": volumes}));
    let spec = build(&job, "w", 0).spec.unwrap();
    let volumes = spec.volumes.unwrap();
    let claims: Vec<&str> =
        volumes.iter().map(|volume| &*volume.persistent_volume_claim.as_ref().unwrap().claim_name).collect();
    assert_eq!(claims, ["one", "two"]);
    let is_random = |name: &str| {
        let suffix = name.strip_prefix("j-").unwrap();
        suffix.len() == 12 && suffix.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    assert!(volumes.iter().all(|volume| is_random(&volume.name)) && volumes[0].name != volumes[1].name);
    for container in &spec.containers {
        let mounts = container.volume_mounts.as_ref().unwrap();
        let mounts: Vec<_> = mounts.iter().map(|mount| (&*mount.name, &*mount.mount_path)).collect();
        assert_eq!(mounts, [(&*volumes[0].name, "/a"), (&*volumes[1].name, "/b")]);
    }
    assert!(spec.init_containers.unwrap()[0].volume_mounts.is_none());
}

/// VJ-276.
#[test]
fn a_plugin_that_there_is_not_is_an_error() {
    let job = world::job(json!({"tasks": [task("w", 1)], "plugins": {"env": [], "magic": []}}));
    let wanted = NewPod { task: "w".to_owned(), index: 0, name: "j-w-0".to_owned(), evicted_at: None };
    let error = build_pod(&job, &wanted, "j-u", &BTreeSet::new(), Profile::Strict).unwrap_err();
    assert_eq!(error.to_string(), "failed to get plugin magic");
}

/// Two tasks of two pods: `a` with 50m, `b` with 100m CPU.
fn pair(least: i32, of_a: i32, of_b: i32) -> Job {
    let task = |name: &str, least: i32, cpu: &str| {
        let mut task = task(name, 2);
        task["minAvailable"] = json!(least);
        task["template"]["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
        task
    };
    world::job(json!({"tasks": [task("a", of_a, "50m"), task("b", of_b, "100m")], "minAvailable": least}))
}

/// VJ-260: the table of section 3.2.1.
#[rstest]
#[case(2, 1, 2, "100m", "2")]
#[case(2, 2, 1, "100m", "2")]
#[case(3, 2, 2, "200m", "3")]
#[case(3, 1, 1, "200m", "3")]
#[case(3, 1, 2, "250m", "3")]
#[case(2, 1, 1, "150m", "2")]
fn what_the_first_pods_use(#[case] least: i32, #[case] a: i32, #[case] b: i32, #[case] cpu: &str, #[case] pods: &str) {
    let used = min_resources(&pair(least, a, b).spec, &Priorities::new());
    let used: Vec<(&str, &str)> = used.iter().map(|(name, quantity)| (&**name, &*quantity.0)).collect();
    assert_eq!(used, [("count/pods", pods), ("cpu", cpu), ("pods", pods), ("requests.cpu", cpu)]);
}

#[test]
fn the_task_of_the_higher_class_comes_first() {
    let mut job = pair(2, 2, 2);
    let classes: Priorities = [("high".to_owned(), 5), ("low".to_owned(), -5)].into();
    let cpu = |job: &Job| min_resources(&job.spec, &classes)["cpu"].0.clone();
    assert_eq!(cpu(&job), "100m");
    job.spec.tasks[1].template.spec.as_mut().unwrap().priority_class_name = Some("high".to_owned());
    assert_eq!(cpu(&job), "200m");
    job.spec.tasks[1].template.spec.as_mut().unwrap().priority_class_name = Some("low".to_owned());
    assert_eq!(cpu(&job), "100m");
}

#[rstest]
#[case::containers_add_up(json!({"containers": [of("100m", "1Gi"), of("200m", "1Gi")]}), "300m", "2Gi")]
#[case::the_largest_init_container_counts(
    json!({"initContainers": [of("500m", "1Mi"), of("1m", "3Gi")], "containers": [of("100m", "1Gi")]}), "500m", "3Gi")]
#[case::sidecars_stay(
    json!({"initContainers": [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "50m", "memory": "1Gi"}}}],
           "containers": [of("100m", "1Gi")]}), "150m", "2Gi")]
#[case::overhead_comes_on_top(
    json!({"overhead": {"cpu": "10m"}, "containers": [of("100m", "1Gi")]}), "110m", "1Gi")]
#[case::what_the_pod_says_wins(
    json!({"resources": {"requests": {"cpu": "1"}}, "containers": [of("100m", "1Gi")]}), "1", "1Gi")]
#[case::a_limit_stands_in_for_a_request(
    json!({"containers": [{"name": "c", "resources": {"limits": {"cpu": "70m", "memory": "1Gi"}}}]}), "70m", "1Gi")]
fn what_a_pod_uses(#[case] spec: Value, #[case] cpu: &str, #[case] memory: &str) {
    let job = world::job(json!({"tasks": [{"name": "w", "replicas": 1, "template": {"spec": spec}}]}));
    let used = min_resources(&job.spec, &Priorities::new());
    assert_eq!((&*used["requests.cpu"].0, &*used["memory"].0), (cpu, memory));
    assert_eq!(used.contains_key("limits.cpu"), cpu == "70m");
}

fn of(cpu: &str, memory: &str) -> Value {
    json!({"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}})
}

/// VJ-255 to VJ-261.
#[test]
fn a_group_says_what_the_gang_needs() {
    let mut b = task("b", 4);
    b["minAvailable"] = Value::Null;
    b["partitionPolicy"] = json!({"totalPartitions": 2, "partitionSize": 2, "minPartitions": 1,
        "networkTopology": {"mode": "hard", "highestTierAllowed": 1, "highestTierName": "rack"}});
    let mut job = world::job(json!({"tasks": [task("a", 2), b], "queue": "q", "priorityClassName": "high"}));
    job.spec.tasks[1].min_available = None;
    job.spec.min_available = 3;
    job.metadata.labels = Some(map(&[("l", "1")]));
    job.metadata.annotations = Some(map(&[("a", "2")]));
    let group = pod_group::pod_group(&job, &Priorities::new());
    assert_eq!(group.metadata.name.as_deref(), Some("j-u"));
    assert_eq!(
        (group.metadata.labels, group.metadata.annotations),
        (Some(map(&[("l", "1")])), Some(map(&[("a", "2")])))
    );
    let spec = group.spec;
    assert_eq!((spec.min_member, &*spec.queue, &*spec.priority_class_name), (3, "q", "high"));
    assert_eq!(spec.min_task_member, [("a".to_owned(), 2), ("b".to_owned(), 2)].into());
    let sub = serde_json::to_value(&spec.sub_group_policy).unwrap();
    let expected = json!([{
        "name": "b", "subGroupSize": 2, "minSubGroups": 1,
        "labelSelector": {"matchLabels": {"volcano.sh/task-spec": "b"}},
        "matchLabelKeys": ["volcano.sh/partition-id"],
        "networkTopology": {"mode": "hard", "highestTierAllowed": 1},
    }]);
    assert_eq!(sub, expected);
}

/// VJ-262.
#[test]
fn a_group_follows_what_may_change_and_nothing_else() {
    let job = world::job(json!({"tasks": [task("a", 2)], "queue": "q"}));
    let mut group: PodGroup = pod_group::pod_group(&job, &Priorities::new());
    group.spec.queue = "elsewhere".to_owned();
    group.spec.min_task_member.insert("old".to_owned(), 1);
    assert_eq!(pod_group::update(&job, &group, &Priorities::new()), None);
    let mut scaled = job;
    scaled.spec.tasks[0].min_available = Some(1);
    scaled.spec.min_available = 1;
    scaled.spec.priority_class_name = "high".to_owned();
    let new = pod_group::update(&scaled, &group, &Priorities::new()).unwrap().spec;
    assert_eq!((new.min_member, &*new.queue, &*new.priority_class_name), (1, "elsewhere", "high"));
    assert_eq!(new.min_task_member, [("a".to_owned(), 1), ("old".to_owned(), 1)].into());
    assert_eq!(new.min_resources.unwrap()["pods"].0, "1");
}
