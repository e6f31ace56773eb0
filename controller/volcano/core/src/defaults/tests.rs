//! What is filled in, and what is not.

use jobsworth_volcano_api::JobSpec;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn spec(text: &Value) -> JobSpec {
    serde_json::from_value(text.clone()).unwrap()
}

fn defaulted(text: &Value) -> JobSpec {
    let mut spec = spec(text);
    apply(&mut spec, "volcano");
    spec
}

/// (VJ-033, VJ-035)
#[test]
fn a_task_without_a_name_is_named_by_its_index() {
    let spec = defaulted(&json!({"tasks": [{}, {"name": "b", "maxRetry": 7}, {}]}));
    let names: Vec<&str> = spec.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["default0", "b", "default2"]);
    assert_eq!(spec.tasks.iter().map(|task| task.max_retry).collect::<Vec<_>>(), [3, 7, 3]);
}

/// (VJ-034)
#[rstest]
#[case::replicas(json!({"replicas": 4}), 4)]
#[case::partitions(json!({"replicas": 4, "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2, "minPartitions": 1}}), 2)]
#[case::no_minimal_partitions(json!({"replicas": 4, "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2}}), 4)]
#[case::its_own(json!({"replicas": 4, "minAvailable": 1, "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2, "minPartitions": 2}}), 1)]
#[case::its_own_zero(json!({"replicas": 4, "minAvailable": 0}), 0)]
fn a_task_needs_its_own_minimum_or_its_partitions_or_all(#[case] task: Value, #[case] needs: i32) {
    assert_eq!(defaulted(&json!({ "tasks": [task] })).tasks[0].min_available, Some(needs));
}

/// (VJ-036)
#[rstest]
#[case::on_the_host(json!({"hostNetwork": true, "containers": []}), Some("ClusterFirstWithHostNet"))]
#[case::with_a_policy(json!({"hostNetwork": true, "dnsPolicy": "Default", "containers": []}), Some("Default"))]
#[case::with_an_empty_policy(json!({"hostNetwork": true, "dnsPolicy": "", "containers": []}), Some("ClusterFirstWithHostNet"))]
#[case::not_on_the_host(json!({"hostNetwork": false, "containers": []}), None)]
#[case::nothing_said(json!({"containers": []}), None)]
fn a_pod_on_the_host_network_finds_the_cluster(#[case] pod: Value, #[case] policy: Option<&str>) {
    let spec = defaulted(&json!({"tasks": [{"template": {"spec": pod}}]}));
    assert_eq!(spec.tasks[0].template.spec.as_ref().unwrap().dns_policy.as_deref(), policy);
}

/// (VJ-037)
#[rstest]
#[case::the_sum_of_what_tasks_need(json!({"tasks": [{"replicas": 3, "minAvailable": 1}, {"replicas": 2}]}), 3)]
#[case::its_own(json!({"minAvailable": 2, "tasks": [{"replicas": 3}]}), 2)]
#[case::a_zero_is_none(json!({"minAvailable": 0, "tasks": [{"replicas": 3}]}), 3)]
#[case::no_tasks(json!({}), 0)]
#[case::more_than_a_number_holds(json!({"tasks": [{"replicas": 2147483647}, {"replicas": 2147483647}]}), i32::MAX)]
fn a_job_needs_what_its_tasks_need(#[case] text: Value, #[case] needs: i32) {
    assert_eq!(defaulted(&text).min_available, needs);
}

/// (VJ-038, VJ-039, VJ-040)
#[rstest]
#[case::nothing(json!({}), ("default", "volcano", 3))]
#[case::everything(json!({"queue": "q", "schedulerName": "s", "maxRetry": 1}), ("q", "s", 1))]
#[case::empty_and_zero(json!({"queue": "", "schedulerName": "", "maxRetry": 0}), ("default", "volcano", 3))]
fn a_job_has_a_queue_a_scheduler_and_three_tries(#[case] text: Value, #[case] has: (&str, &str, i32)) {
    let spec = defaulted(&text);
    assert_eq!((spec.queue.as_str(), spec.scheduler_name.as_str(), spec.max_retry), has);
}

/// (VJ-041)
#[rstest]
#[case::none(json!({}), json!({}))]
#[case::env(json!({"env": []}), json!({"env": []}))]
#[case::tensorflow(json!({"tensorflow": ["--port=1"]}), json!({"svc": [], "tensorflow": ["--port=1"]}))]
#[case::pytorch(json!({"pytorch": []}), json!({"pytorch": [], "svc": []}))]
#[case::ray(json!({"ray": []}), json!({"ray": [], "svc": []}))]
#[case::mpi(json!({"mpi": []}), json!({"mpi": [], "ssh": [], "svc": []}))]
#[case::arguments_stay(json!({"mpi": [], "ssh": ["--ssh-port=23"], "svc": ["-x"]}), json!({"mpi": [], "ssh": ["--ssh-port=23"], "svc": ["-x"]}))]
#[case::hcclrank(json!({"hcclrank": []}), json!({"hcclrank": []}))]
fn plugins_bring_those_that_they_need(#[case] plugins: Value, #[case] all: Value) {
    let spec = defaulted(&json!({ "plugins": plugins }));
    assert_eq!(serde_json::to_value(spec.plugins).unwrap(), all);
}

fn any_task() -> impl Strategy<Value = Value> {
    let names = prop_oneof![Just(""), Just("a"), Just("b"), Just("default1")];
    let pods = prop_oneof![
        Just(json!({})),
        Just(json!({"spec": {"containers": []}})),
        Just(json!({"spec": {"hostNetwork": true, "containers": []}})),
        Just(json!({"spec": {"hostNetwork": true, "dnsPolicy": "Default", "containers": []}})),
    ];
    let parts = proptest::option::of((any::<i32>(), any::<i32>(), -1..3));
    (names, any::<i32>(), proptest::option::of(any::<i32>()), -1..3, pods, parts).prop_map(
        |(name, replicas, min, retry, pod, parts)| {
            let mut task = json!({"name": name, "replicas": replicas, "maxRetry": retry, "template": pod});
            if let Some(min) = min {
                task["minAvailable"] = min.into();
            }
            if let Some((total, size, min)) = parts {
                task["partitionPolicy"] =
                    json!({"totalPartitions": total, "partitionSize": size, "minPartitions": min});
            }
            task
        },
    )
}

fn any_spec() -> impl Strategy<Value = JobSpec> {
    let tasks = proptest::collection::vec(any_task(), 0..4);
    let plugin =
        prop_oneof![Just("env"), Just("svc"), Just("ssh"), Just("mpi"), Just("ray"), Just("tensorflow"), Just("odd")];
    let plugins = proptest::collection::btree_map(plugin, proptest::collection::vec("-[a-z]{1,3}", 0..2), 0..4);
    let words = proptest::collection::vec(prop_oneof![Just(""), Just("x")], 2);
    (tasks, plugins, words, any::<i32>(), -1..3).prop_map(|(tasks, plugins, words, min, retry)| {
        spec(&json!({"tasks": tasks, "plugins": plugins, "queue": words[0], "schedulerName": words[1], "minAvailable": min, "maxRetry": retry}))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// (VJ-044)
    #[test]
    fn a_second_time_changes_nothing(mut spec in any_spec()) {
        apply(&mut spec, "volcano");
        let once = spec.clone();
        apply(&mut spec, "another");
        prop_assert_eq!(spec, once);
    }
}

proptest! {
    /// What somebody set stays as it is.
    #[test]
    fn what_is_set_stays(before in any_spec()) {
        let mut after = before.clone();
        apply(&mut after, "volcano");
        let (before, after) = (serde_json::to_value(before).unwrap(), serde_json::to_value(after).unwrap());
        prop_assert!(holds(&before, &after), "{} is not in {}", before, after);
    }
}

/// Whether everything of the first is in the second too.
fn holds(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|found| holds(value, found)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(a, b)| holds(a, b))
        }
        (Value::String(empty), _) if empty.is_empty() => true,
        _ => part == whole,
    }
}
