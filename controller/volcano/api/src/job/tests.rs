//! How jobs look in JSON.

use rstest::rstest;
use serde_json::{Value, json};

use crate::{Action, Command, Event, Job, JobPhase, PodGroup, PodGroupPhase};

fn job(spec: &Value) -> Job {
    let object =
        json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec});
    serde_json::from_value(object).unwrap()
}

fn spec_again(spec: &Value) -> Value {
    serde_json::to_value(job(spec)).unwrap()["spec"].take()
}

/// (VJ-014, VJ-015, VJ-021, VJ-030, VJ-032)
#[rstest]
#[case::plugins(json!({"plugins": {"env": [], "svc": ["--publish-not-ready-addresses"]}}))]
#[case::policies(json!({"policies": [{"event": "*", "action": "RestartJob", "timeout": "1h"}, {"events": ["PodFailed"], "exitCode": 3}]}))]
#[case::words_that_nobody_knows(json!({"policies": [{"event": "Foo", "action": "Bar"}]}))]
#[case::a_duration_that_is_none(json!({"runningEstimate": "soon"}))]
#[case::tasks(json!({"tasks": [{"name": "a", "replicas": 2, "minAvailable": 0, "dependsOn": {"name": ["b"], "iteration": "any"}}]}))]
#[case::a_partition(json!({"tasks": [{"partitionPolicy": {"totalPartitions": 2, "partitionSize": 3}}]}))]
#[case::a_topology(json!({"networkTopology": {"mode": "soft", "highestTierAllowed": 0}}))]
#[case::a_volume(json!({"volumes": [{"mountPath": "/a", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}}]}))]
fn a_spec_survives_a_round_trip(#[case] spec: Value) {
    assert_eq!(spec_again(&spec), spec);
}

/// (VJ-053, VJ-054)
#[rstest]
#[case::a_partition_without_numbers(json!({"tasks": [{"partitionPolicy": {}}]}))]
#[case::a_volume_without_a_path(json!({"volumes": [{"volumeClaimName": "c"}]}))]
fn what_the_schema_refuses_is_read_before(#[case] spec: Value) {
    assert_eq!(spec_again(&spec), spec);
}

/// Zero and absent are one value where the API has no way to tell them apart.
#[test]
fn zero_is_not_written_where_it_means_absent() {
    assert_eq!(
        spec_again(&json!({"minAvailable": 0, "maxRetry": 0, "queue": "", "policies": [{"action": "", "event": ""}]})),
        json!({"policies": [{}]})
    );
    assert_eq!(spec_again(&json!({"ttlSecondsAfterFinished": 0})), json!({"ttlSecondsAfterFinished": 0}));
}

/// (VJ-005) What the design document calls `taskSpecs` is no field.
#[test]
fn tasks_under_another_name_are_none() {
    assert_eq!(job(&json!({"taskSpecs": [{"name": "a"}]})).spec.tasks, []);
}

#[test]
fn events_of_a_policy_are_each_named_once() {
    let policies = json!([{"event": "PodFailed", "events": ["PodEvicted", "PodFailed", "PodEvicted"]}]);
    let job = job(&json!({ "policies": policies }));
    assert_eq!(job.spec.policies[0].all_events(), [&Event::PodEvicted, &Event::PodFailed]);
}

/// (VJ-106) An unknown phase hides neither its job nor any other.
#[rstest]
#[case(json!("Running"), Some(JobPhase::Running))]
#[case(json!(""), None)]
#[case(json!("Dreaming"), None)]
#[case(json!(null), None)]
fn an_unknown_phase_is_none(#[case] phase: Value, #[case] read: Option<JobPhase>) {
    let object = json!({"metadata": {}, "spec": {}, "status": {"state": {"phase": phase}}});
    let with_kind = |kind: &str, version: &str| {
        let mut object = object.clone();
        object["kind"] = kind.into();
        object["apiVersion"] = version.into();
        object
    };
    let job: Job = serde_json::from_value(with_kind("Job", "batch.volcano.sh/v1alpha1")).unwrap();
    assert_eq!(job.status.unwrap().state.phase, read);
    let mut object = with_kind("PodGroup", "scheduling.volcano.sh/v1beta1");
    object["status"] = json!({ "phase": phase });
    let group: PodGroup = serde_json::from_value(object).unwrap();
    assert_eq!(group.status.unwrap().phase, read.map(|_| PodGroupPhase::Running));
}

/// (VJ-300, VJ-306)
#[test]
fn an_order_has_no_spec_on_the_wire() {
    let target = json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": "1"});
    let object = json!({"apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command", "metadata": {"name": "c"},
        "action": "DanceJob", "target": target, "reason": "r"});
    let command: Command = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(command.spec.action, Some(Action::Other("DanceJob".to_owned())));
    assert_eq!(serde_json::to_value(command).unwrap(), object);
}

/// (VJ-069, VJ-070)
#[test]
fn policies_may_name_eight_events_and_eight_actions() {
    assert_eq!(Event::ALL.iter().filter(|event| event.is_for_policies()).count(), 8);
    assert_eq!(Action::ALL.iter().filter(|action| action.is_for_policies()).count(), 8);
}
