//! The caches against lists and events in awkward orders.

use jobsworth_controller_runtime::feed::Resource;
use serde_json::{Value, json};

use super::*;

fn pod(name: &str, revision: u64, owner: Option<&str>) -> CachedPod {
    let reference =
        |uid: &str| json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": uid, "controller": true}]);
    let object = json!({"metadata": {
        "name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": revision.to_string(),
        "labels": {"app": "a"}, "ownerReferences": owner.map_or(json!([]), reference),
    }});
    CachedPod::decode(&raw(&object)).unwrap()
}

fn raw(object: &Value) -> Box<RawValue> {
    RawValue::from_string(object.to_string()).unwrap()
}

fn job() -> CachedJob {
    let object = json!({
        "metadata": {"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": "1"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {}, "spec": {"containers": []}}},
    });
    CachedJob::decode(&raw(&object)).unwrap()
}

fn names(pods: &Pods) -> Vec<String> {
    pods.of(&job().view).iter().map(|pod| format!("{}@{}", pod.view.name, pod.view.revision)).collect()
}

#[test]
fn pods_come_in_the_order_of_their_names_whatever_the_order_of_events() {
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]];
    for order in orders {
        let mut pods = Pods::default();
        for name in order {
            pods.apply(Change::Applied(pod(name, 5, Some("uid-job"))));
        }
        assert_eq!(names(&pods), ["a@5", "b@5", "c@5"]);
    }
}

#[test]
fn a_pod_that_changes_hands_is_found_where_it_is() {
    let mut pods = Pods::default();
    pods.apply(Change::Applied(pod("a", 5, None)));
    assert_eq!(names(&pods), ["a@5"], "it could be adopted");
    pods.apply(Change::Applied(pod("a", 6, Some("another"))));
    assert!(names(&pods).is_empty());
    pods.apply(Change::Applied(pod("a", 7, Some("uid-job"))));
    assert_eq!(names(&pods), ["a@7"]);
}

/// It must not be acted upon as it was before, nor vanish.
#[test]
fn a_job_that_can_no_longer_be_read_takes_the_place_of_what_it_was() {
    let mut jobs = Store::default();
    jobs.apply(Change::Applied(job()));
    let object = json!({
        "metadata": {"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": "2"},
        "spec": {"parallelism": "many"},
    });
    jobs.apply(Change::Applied(CachedJob::decode(&raw(&object)).unwrap()));
    let known = jobs.get(&job().key()).unwrap();
    assert_eq!((known.revision(), known.complaint().is_some()), (2, true));
}

/// Pods get what we do not know of a template, whatever is around it in the spec.
#[rstest::rstest]
#[case::a_template_in_the_middle(r#"{"parallelism": 2, "template": {"spec": {"of_a_later_version": ["\u00e4", 1.50]}}, "suspend": false}"#, json!({"spec": {"of_a_later_version": ["ä", 1.50]}}))]
#[case::a_word_that_looks_like_it(r#"{"managedBy": "\"template\": {}", "template": {"metadata": {}}}"#, json!({"metadata": {}}))]
#[case::none(r#"{"parallelism": 2}"#, Value::Null)]
#[case::no_spec("null", Value::Null)]
fn the_template_is_kept_as_it_came(#[case] spec: &str, #[case] template: Value) {
    let metadata = json!({"name": "job", "namespace": "ns", "uid": "uid-job", "resourceVersion": "1"});
    let text = RawValue::from_string(format!(r#"{{"metadata": {metadata}, "spec": {spec}}}"#)).unwrap();
    assert_eq!(CachedJob::decode(&text).unwrap().template(), template);
}

#[test]
fn what_does_not_say_who_it_is_takes_what_was_known_with_it() {
    let mut pods = Pods::default();
    pods.apply(Change::Applied(pod("a", 5, Some("uid-job"))));
    let key = pod("a", 5, None).key();
    assert_eq!(pods.apply(Change::Unreadable(key.clone())).1.len(), 1);
    assert!(names(&pods).is_empty());
    assert!(pods.apply(Change::Unreadable(key)).1.is_empty());
}
