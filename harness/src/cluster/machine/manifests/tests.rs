//! Reading manifests, their order, and where reviews are sent.

use rstest::rstest;
use serde_json::json;

use super::*;

fn embedded(text: &str) -> Manifest {
    Manifest::Embedded { name: "it".to_owned(), text: text.to_owned() }
}

#[test]
fn reviews_of_a_service_come_to_the_process_and_others_stay() {
    let reviewer = Reviewer { address: "https://127.0.0.1:7".to_owned(), authority: "QQ==".to_owned() };
    let mut object = json!({"kind": "ValidatingWebhookConfiguration", "webhooks": [
        {"name": "a", "clientConfig": {"service": {"name": "s", "namespace": "n", "path": "/jobs/validate"}}},
        {"name": "b", "clientConfig": {"service": {"name": "s", "namespace": "n"}, "caBundle": "old"}},
        {"name": "c", "clientConfig": {"url": "https://example.com/"}},
    ]});
    reviewer.take_over(&mut object);
    let configs: Vec<&Value> =
        object["webhooks"].as_array().unwrap().iter().map(|webhook| &webhook["clientConfig"]).collect();
    assert_eq!(*configs[0], json!({"url": "https://127.0.0.1:7/jobs/validate", "caBundle": "QQ=="}));
    assert_eq!(*configs[1], json!({"url": "https://127.0.0.1:7/", "caBundle": "QQ=="}));
    assert_eq!(*configs[2], json!({"url": "https://example.com/"}));
}

#[test]
fn what_only_looks_like_a_configuration_is_left_alone() {
    let reviewer = Reviewer { address: "https://127.0.0.1:7".to_owned(), authority: "QQ==".to_owned() };
    let before = json!({"kind": "Mine", "webhooks": [{"clientConfig": {"service": {"path": "/"}}}]});
    let mut object = before.clone();
    reviewer.take_over(&mut object);
    assert_eq!(object, before);
}

#[test]
fn namespaces_and_definitions_come_before_what_needs_them() {
    let kinds = ["ClusterRole", "CustomResourceDefinition", "Job", "Namespace"];
    let mut objects: Vec<Value> = kinds.iter().map(|kind| json!({"kind": kind})).collect();
    objects.sort_by_key(stage);
    let sorted: Vec<&str> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
    assert_eq!(sorted, ["Namespace", "CustomResourceDefinition", "ClusterRole", "Job"]);
}

#[test]
fn a_namespace_that_nobody_makes_is_made() {
    let objects = [
        json!({"kind": "Namespace", "metadata": {"name": "made"}}),
        json!({"kind": "Role", "metadata": {"name": "r", "namespace": "made"}}),
        json!({"kind": "Role", "metadata": {"name": "r", "namespace": "missing"}}),
    ];
    assert_eq!(namespaces(&objects), BTreeSet::from(["missing"]));
}

#[rstest]
#[case::several(
    "{apiVersion: v1, kind: A, metadata: {name: a}}\n---\n---\n{apiVersion: v1, kind: B, metadata: {name: b}}",
    2
)]
#[case::a_list("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}", 1)]
fn objects_are_read_from(#[case] text: &str, #[case] many: usize) {
    assert_eq!(read(&embedded(text)).unwrap().len(), many);
}

#[rstest]
#[case::nothing_in_it("# only words\n", "it has no objects in it")]
#[case::no_name("{apiVersion: v1, kind: A}", "document 1 is no object")]
#[case::no_yaml("{", "it.yaml")]
fn what_is_no_manifest_is_told(#[case] text: &str, #[case] words: &str) {
    let manifest = Manifest::Embedded { name: "it.yaml".to_owned(), text: text.to_owned() };
    let why = crate::error_text::in_full(&read(&manifest).unwrap_err());
    assert!(why.contains(words) && why.contains("it.yaml"), "{why}");
}
