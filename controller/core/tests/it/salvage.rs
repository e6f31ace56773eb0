//! Objects that our bindings cannot hold as they are: what is read of them all the same.

use jobsworth_core::pod::{Phase, skim, skim_what_can_be_read};
use jobsworth_core::{Gates, Limits, Memory, PodView, Role, Snapshot, job, reconcile};
use rstest::rstest;
use serde_json::{Value, json};

use crate::world;

fn object(change: impl FnOnce(&mut Value)) -> Value {
    let mut object = json!({
        "metadata": {"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "9", "generation": 1},
        "spec": {
            "completions": 3, "parallelism": 2, "managedBy": "kubernetes.io/job-controller",
            "template": {"metadata": {}, "spec": {"restartPolicy": "OnFailure", "containers": [{"name": "c"}]}},
        },
        "status": {"failed": 1},
    });
    change(&mut object);
    object
}

/// Times go on for two days after the last one that we can hold, fields of templates may change: such Jobs are served.
#[rstest]
#[case::a_condition_of_others_at_the_end_of_time(|job: &mut Value| {
    job["status"]["conditions"] = json!([{"type": "Theirs", "status": "True", "lastTransitionTime": "9999-12-31T23:59:59Z"}]);
})]
#[case::a_template_made_after_the_end_of_time(|job: &mut Value| {
    job["spec"]["template"]["metadata"]["creationTimestamp"] = "10000-01-01T13:59:59Z".into();
})]
#[case::a_template_in_a_form_of_later_versions(|job: &mut Value| {
    job["spec"]["template"]["spec"]["containers"][0]["env"] = "from the node".into();
})]
fn the_rest_of_the_job_is_read(#[case] change: fn(&mut Value)) {
    let text = object(change).to_string();
    assert!(serde_json::from_str::<k8s_openapi::api::batch::v1::Job>(&text).is_err());
    let view = job::read(&text).unwrap().view;
    assert_eq!((view.unreadable.as_deref(), view.spec.completions, view.status.failed), (None, Some(3), 1));
    assert!(view.spec.restarts_containers);
}

#[test]
fn times_out_of_range_become_the_nearest_and_annotations_stay() {
    let text = object(|job| {
        job["metadata"]["annotations"] = json!({"theirTime": "10000-01-01T00:00:00Z"});
        job["status"]["startTime"] = "9999-12-31T23:59:59Z".into();
    });
    let read = job::read(&text.to_string()).unwrap();
    assert_eq!(read.view.status.start_time.unwrap().to_string(), "9999-12-30T22:00:00Z");
    assert_eq!(read.object.metadata.annotations.unwrap()["theirTime"], "10000-01-01T00:00:00Z");
}

/// It is known, so that nothing older is acted upon; it is told of, and nothing else is done.
#[rstest]
#[case::a_number_that_is_none(|job: &mut Value| job["spec"]["completions"] = "three".into())]
#[case::a_number_below_zero(|job: &mut Value| job["spec"]["parallelism"] = (-1).into())]
#[case::a_count_of_64_bits(|job: &mut Value| job["spec"]["completions"] = i64::MAX.into())]
#[case::a_status_in_another_form(|job: &mut Value| job["status"]["failed"] = json!({"pods": 1}))]
#[case::an_unknown_operator(|job: &mut Value| {
    job["spec"]["selector"] = json!({"matchExpressions": [{"key": "a", "operator": "Like"}]});
})]
#[case::labels_that_are_none(|job: &mut Value| {
    job["metadata"]["labels"] = json!([1]);
    job["metadata"]["deletionTimestamp"] = "soon".into();
})]
fn a_job_that_cannot_be_read_is_known_and_left_alone(#[case] change: fn(&mut Value)) {
    let changed = object(change);
    let view = job::read(&changed.to_string()).unwrap().view;
    assert_eq!((&*view.name, &*view.namespace, &*view.uid, view.revision), ("j", "n", "u", 9));
    assert_eq!(view.deleting, changed["metadata"].get("deletionTimestamp").is_some());
    assert!(view.unreadable.is_some() && Role::BuiltIn.reconciles(&view.spec, &Gates::V1_36));
    let seen = Snapshot { job: &view, pods: &[], pods_revision: 1 };
    let decision = reconcile(&seen, &Memory::default(), world::start(), &Gates::V1_36, &Limits::UPSTREAM);
    let said: Vec<_> = decision.notices.iter().map(|notice| (notice.warning, notice.reason.as_str())).collect();
    assert_eq!((said, decision.batches.len()), (vec![(true, "UnreadableJob")], 0));
}

/// Whoever manages it says so in a field of its own (MGB-002).
#[test]
fn a_job_of_somebody_else_that_cannot_be_read_is_theirs() {
    let text = object(|job| {
        job["spec"]["managedBy"] = "example.com/theirs".into();
        job["spec"]["completions"] = "three".into();
    });
    let view = job::read(&text.to_string()).unwrap().view;
    assert!(!Role::BuiltIn.reconciles(&view.spec, &Gates::V1_36));
}

#[rstest]
#[case::no_uid(|job: &mut Value| job["metadata"]["uid"] = Value::Null)]
#[case::no_version(|job: &mut Value| job["metadata"]["resourceVersion"] = "new".into())]
fn without_an_identity_there_is_nothing_to_remember(#[case] change: fn(&mut Value)) {
    assert!(job::read(&object(change).to_string()).is_err());
}

/// It neither vanishes nor stays as it was: owner, phase, finalizer and deletion are its own.
#[rstest]
#[case::a_condition_at_the_end_of_time(json!({"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "9999-12-31T23:59:59Z"}]}))]
#[case::an_exit_code_that_is_none(json!({"containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": "bad"}}}]}))]
#[case::a_list_that_is_none(json!({"containerStatuses": 7}))]
fn a_pod_counts_as_what_can_be_read_of_it(#[case] status: Value) {
    let mut object = json!({
        "metadata": {
            "name": "p", "namespace": "n", "uid": "u", "resourceVersion": "5", "deletionTimestamp": "soon", "labels": {"job": "j", "odd": 1},
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "annotations": {"batch.kubernetes.io/job-completion-index": "3"},
            "ownerReferences": [1, {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": true}],
        },
        "status": status,
    });
    object["status"]["phase"] = "Failed".into();
    let text = object.to_string();
    assert!(skim(&text).is_err());
    let pod = PodView::parse(&skim_what_can_be_read(&text).unwrap()).unwrap();
    assert_eq!((pod.phase, pod.index, pod.tracked, pod.deleting), (Phase::Failed, Some(3), true, true));
    assert!(pod.belongs_to(&world::job("1 pods")));
}
