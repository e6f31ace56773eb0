//! What a new pod carries.

use k8s_openapi::api::core::v1::{Container, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use rstest::rstest;
use serde_json::{Value, json};

use crate::pod::FailureCounts;
use crate::{CreatePod, Gates};

fn job(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.into()), uid: Some("u".into()), ..ObjectMeta::default() }
}

fn template() -> Value {
    json!({
        "metadata": {"finalizers": ["example.com/theirs"]},
        "spec": {
            "initContainers": [{"name": "init"}],
            "containers": [
                {"name": "plain"},
                {"name": "own", "env": [{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]},
            ],
        },
    })
}

fn pod(job: &ObjectMeta, wanted: &CreatePod, suffix: &str, gates: &Gates) -> Pod {
    serde_json::from_value(super::pod(job, &template(), wanted, suffix, gates)).unwrap()
}

fn wanted(index: Option<u32>, failures: Option<FailureCounts>) -> CreatePod {
    CreatePod { index, failures, reason: "new" }
}

/// (IDX-006, PAR-015)
#[rstest]
#[case::a_short_name("a", None, "a-xxxxx")]
#[case::an_index("a", Some(7), "a-7-xxxxx")]
#[case::a_long_name_is_cut_before_the_index(&"n".repeat(63), Some(123), &format!("{}-123-xxxxx", "n".repeat(53)))]
#[case::a_long_name_is_cut(&"n".repeat(63), None, &format!("{}xxxxx", "n".repeat(58)))]
fn names(#[case] job_name: &str, #[case] index: Option<u32>, #[case] name: &str) {
    let born = pod(&job(job_name), &wanted(index, None), "xxxxx", &Gates::V1_36);
    assert_eq!(born.metadata.name.as_deref(), Some(name));
}

/// The API server refuses a prefix that ends with a dot, so only the name is cut (PAR-015).
#[test]
fn a_name_that_is_cut_at_a_dot_has_its_whole_prefix() {
    let (job_name, head) = ("n.".repeat(30) + "n", "n.".repeat(29));
    let born = pod(&job(&job_name), &wanted(None, None), "xxxxx", &Gates::V1_36).metadata;
    assert_eq!((born.name, born.generate_name), (Some(head + "xxxxx"), Some(job_name + "-")));
}

/// (PAR-014, FIN-001)
#[test]
fn a_pod_without_index_has_owner_and_finalizers_and_nothing_about_indexes() {
    let born = pod(&job("a"), &wanted(None, None), "xxxxx", &Gates::V1_36);
    assert_eq!(born.metadata.finalizers.unwrap(), ["example.com/theirs", "batch.kubernetes.io/job-tracking"]);
    let owner = &born.metadata.owner_references.unwrap()[0];
    assert_eq!((owner.controller, owner.block_owner_deletion, owner.uid.as_str()), (Some(true), Some(true), "u"));
    assert_eq!((born.metadata.annotations, born.metadata.labels), (None, None));
    assert_eq!(born.spec.unwrap().containers[0].env, None);
}

/// (IDX-001, IDX-002, IDX-003, IDX-004, IDX-005)
#[rstest]
#[case::the_label_since_it_exists(true, "metadata.labels['batch.kubernetes.io/job-completion-index']")]
#[case::the_annotation_before(false, "metadata.annotations['batch.kubernetes.io/job-completion-index']")]
fn containers_read_their_index_from(#[case] label: bool, #[case] path: &str) {
    let gates = Gates { pod_index_label: label, ..Gates::V1_36 };
    let born = pod(&job("a"), &wanted(Some(3), None), "xxxxx", &gates);
    assert_eq!(born.metadata.labels.is_some(), label);
    let spec = born.spec.unwrap();
    assert_eq!(spec.hostname.as_deref(), Some("a-3"));
    let variable = |container: &Container| {
        let env = container.env.as_ref().unwrap();
        assert_eq!(env.len(), 1);
        env[0].value_from.as_ref().map(|source| source.field_ref.as_ref().unwrap().field_path.clone())
    };
    assert_eq!(variable(&spec.containers[0]).as_deref(), Some(path));
    assert_eq!(variable(&spec.containers[1]), None);
    assert_eq!(variable(&spec.init_containers.unwrap()[0]).as_deref(), Some(path));
}

/// (BLI-001)
#[rstest]
#[case::without_a_limit_per_index(None, None, None)]
#[case::first_pod(Some((0, 0)), Some("0"), None)]
#[case::after_counted_and_ignored_failures(Some((2, 1)), Some("2"), Some("1"))]
fn failures_of_the_index(
    #[case] counts: Option<(u32, u32)>,
    #[case] counted: Option<&str>,
    #[case] ignored: Option<&str>,
) {
    let failures = counts.map(|(counted, ignored)| FailureCounts { counted, ignored });
    let born = pod(&job("a"), &wanted(Some(0), failures), "xxxxx", &Gates::V1_36);
    let annotations = born.metadata.annotations.unwrap();
    let value = |key: &str| annotations.get(key).map(String::as_str);
    assert_eq!(value("batch.kubernetes.io/job-index-failure-count"), counted);
    assert_eq!(value("batch.kubernetes.io/job-index-ignored-failure-count"), ignored);
}

/// (PAR-014)
#[test]
fn of_the_templates_metadata_a_pod_has_labels_annotations_and_finalizers() {
    let template = json!({"spec": {"containers": []}, "metadata": {
        "labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["e/f", "batch.kubernetes.io/job-tracking"],
        "name": "n", "generateName": "g-", "namespace": "elsewhere", "uid": "v", "resourceVersion": "7", "generation": 3,
        "creationTimestamp": "2001-02-03T04:05:06Z", "deletionTimestamp": "2001-02-03T04:05:06Z", "selfLink": "s",
        "deletionGracePeriodSeconds": 5, "managedFields": [], "ownerReferences": [{"kind": "ConfigMap"}], "later": 1,
    }});
    let born = super::pod(&job("j"), &template, &wanted(None, None), "xxxxx", &Gates::V1_36);
    let owner = super::owner(&job("j"));
    assert_eq!(
        born["metadata"],
        json!({
            "name": "j-xxxxx", "generateName": "j-", "namespace": null, "ownerReferences": [owner],
            "labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["e/f", "batch.kubernetes.io/job-tracking"],
        })
    );
}

/// A version of Kubernetes that is newer than our bindings has fields that they do not know.
#[test]
fn fields_that_nobody_here_knows_reach_the_pod() {
    let spec = json!({"fromTheFuture": {"a": [1]}, "containers": [{"name": "c", "alsoNew": true}]});
    let job = job("j");
    let plain = super::pod(&job, &json!({"spec": spec}), &wanted(None, None), "xxxxx", &Gates::V1_36);
    assert_eq!(plain["spec"], spec);
    let indexed = super::pod(&job, &json!({"spec": spec}), &wanted(Some(3), None), "xxxxx", &Gates::V1_36);
    assert_eq!(
        (&indexed["spec"]["fromTheFuture"], &indexed["spec"]["containers"][0]["alsoNew"]),
        (&spec["fromTheFuture"], &json!(true))
    );
    assert_eq!(indexed["spec"]["hostname"], "j-3");
}

/// Whatever the template is, it is the API server that says no to it.
#[rstest]
#[case::nothing(Value::Null)]
#[case::lists_where_objects_belong(json!({"metadata": [], "spec": []}))]
#[case::texts_inside(json!({"metadata": {"labels": "x", "annotations": 1, "finalizers": {}}, "spec": {"containers": ["c", {"env": "e"}]}}))]
fn a_template_of_another_shape_panics_nowhere(#[case] template: Value) {
    let born = super::pod(&job("j"), &template, &wanted(Some(u32::MAX), None), "xxxxx", &Gates::V1_36);
    assert_eq!(super::name(&born), "j-4294967295-xxxxx");
}
