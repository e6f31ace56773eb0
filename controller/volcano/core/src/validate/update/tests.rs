//! What may change, and what may not.

use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn base() -> Value {
    json!({
        "schedulerName": "volcano", "minAvailable": 2, "queue": "default", "maxRetry": 3, "priorityClassName": "low",
        "volumes": [{"mountPath": "/new", "volumeClaim": {}}, {"mountPath": "/old", "volumeClaimName": "x"}],
        "tasks": [
            {"name": "a", "replicas": 2, "minAvailable": 1, "maxRetry": 3, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}},
            {"name": "b", "replicas": 4, "minAvailable": 1, "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2}}
        ]
    })
}

fn job(spec: &Value) -> Job {
    let object =
        json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec});
    serde_json::from_value(object).unwrap()
}

fn says(pointer: &str, value: Value) -> String {
    let mut spec = base();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    spec.pointer_mut(parent).unwrap()[name] = value;
    check(&job(&base()), &job(&spec)).map_or_else(|refusal| refusal.to_string(), |()| String::new())
}

/// (VJ-095, VJ-098, VJ-101, VJ-332)
#[rstest]
#[case::nothing("/queue", json!("default"))]
#[case::the_gang("/minAvailable", json!(3))]
#[case::no_gang("/minAvailable", json!(0))]
#[case::the_priority("/priorityClassName", json!("high"))]
#[case::no_priority("/priorityClassName", json!(""))]
#[case::replicas("/tasks/0/replicas", json!(9))]
#[case::the_minimum_of_a_task("/tasks/0/minAvailable", json!(2))]
#[case::no_minimum_of_a_task("/tasks/0/minAvailable", json!(0))]
#[case::the_name_of_a_claim_that_was_made("/volumes/0/volumeClaimName", json!("j-pvc-1"))]
fn some_fields_may_change(#[case] pointer: &str, #[case] value: Value) {
    assert_eq!(says(pointer, value), "");
}

/// (VJ-095)
#[rstest]
#[case("/schedulerName", json!("x"), "`schedulerName`")]
#[case("/queue", json!("x"), "`queue`")]
#[case("/maxRetry", json!(4), "`maxRetry`")]
#[case("/plugins", json!({"env": []}), "`plugins`")]
#[case("/policies", json!([{"event": "*", "action": "AbortJob"}]), "`policies`")]
#[case("/ttlSecondsAfterFinished", json!(1), "`ttlSecondsAfterFinished`")]
#[case("/minSuccess", json!(1), "`minSuccess`")]
#[case("/runningEstimate", json!("1h"), "`runningEstimate`")]
#[case("/networkTopology", json!({"mode": "soft"}), "`networkTopology`")]
#[case("/volumes", json!([]), "`volumes`")]
#[case("/volumes/1/volumeClaimName", json!("y"), "`volumes`")]
#[case("/tasks/0/name", json!("x"), "`tasks[0].name`")]
#[case("/tasks/0/maxRetry", json!(1), "`tasks[0].maxRetry`")]
#[case("/tasks/1/template", json!({"spec": {"containers": []}}), "`tasks[1].template`")]
#[case("/tasks/0/policies", json!([{"event": "*", "action": "AbortJob"}]), "`tasks[0].policies`")]
#[case("/tasks/0/topologyPolicy", json!("none"), "`tasks[0].topologyPolicy`")]
#[case("/tasks/0/dependsOn", json!({"name": ["b"]}), "`tasks[0].dependsOn`")]
#[case("/tasks/1/partitionPolicy/minPartitions", json!(1), "`tasks[1].partitionPolicy`")]
fn all_other_fields_may_not(#[case] pointer: &str, #[case] value: Value, #[case] name: &str) {
    let text = says(pointer, value);
    assert!(text.starts_with("job updates may not change fields other than"), "{text}");
    assert!(text.ends_with(&format!("changed: {name};")), "{text}");
}

/// (VJ-096, VJ-097, VJ-326)
#[rstest]
#[case::a_task_less("/tasks", json!([{"name": "a", "replicas": 2}]), "job updates may not add or remove tasks;")]
#[case::a_gang_of_more_than_all("/minAvailable", json!(7), "job 'minAvailable' must not be greater than total replicas;")]
#[case::a_task_that_needs_more_than_it_has("/tasks/0/minAvailable", json!(3), "'minAvailable' must be <= 'replicas' in task: a;")]
#[case::fewer_replicas_than_it_needs("/tasks/0/replicas", json!(0), "'minAvailable' must be <= 'replicas' in task: a;")]
#[case::a_task_of_partitions_is_scaled("/tasks/1/replicas", json!(5), "'Replicas' are not equal to TotalPartitions*PartitionSize in task: b, job: j;")]
fn numbers_still_fit_after_a_change(#[case] pointer: &str, #[case] value: Value, #[case] expected: &str) {
    assert_eq!(says(pointer, value), expected);
}

/// (VJ-099) A job that came in without a webhook can still be labelled and deleted.
#[test]
fn a_change_beside_the_spec_passes_whatever_the_spec_holds() {
    let mut wrong = base();
    wrong["minAvailable"] = json!(99);
    let (old, mut new) = (job(&wrong), job(&wrong));
    new.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    assert_eq!(check(&old, &new), Ok(()));
}
