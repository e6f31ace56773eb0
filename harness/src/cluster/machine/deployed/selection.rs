//! Which pods are a controller's: all in its own namespace, and elsewhere those that its workloads select. Pure.
//!
//! A namespace that manifests name may have been there before, with pods of others in it. Nobody waits for those, takes their end
//! for the controller's, or kills them.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::ListParams;
use kube::core::Selector;
use serde_json::Value;

use super::objects;
use crate::cluster::contract::ClusterError;

/// Kinds of the group `apps`: they say by labels which pods are theirs, and keep them running.
const WORKLOADS: [&str; 4] = ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"];

/// Pods of one namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Selection {
    /// The namespace.
    pub namespace: String,
    /// Those that have these labels, in the words of the API; without any all of them, since the namespace is the controller's.
    pub labels: Option<String>,
}

impl Selection {
    /// What a list of these pods is asked for with, or their end.
    pub fn params(&self) -> ListParams {
        match &self.labels {
            Some(labels) => ListParams::default().labels(labels),
            None => ListParams::default(),
        }
    }
}

/// Where the pods of a controller with these objects are, whose own namespace is `own`.
///
/// # Errors
/// Names a workload in another namespace that does not say which pods are its own.
pub(super) fn selections(objects: &[Value], own: &str) -> Result<BTreeSet<Selection>, ClusterError> {
    let mut selections = BTreeSet::from([Selection { namespace: own.to_owned(), labels: None }]);
    for workload in objects.iter().filter(|object| is_workload(object)) {
        let namespace = workload["metadata"]["namespace"].as_str().unwrap_or(own);
        if namespace == own {
            continue;
        }
        let labels = labels(workload).ok_or_else(|| unknown(workload, namespace))?;
        selections.insert(Selection { namespace: namespace.to_owned(), labels: Some(labels) });
    }
    Ok(selections)
}

fn is_workload(object: &Value) -> bool {
    let is_of_apps = object["apiVersion"].as_str().is_some_and(|version| version.starts_with("apps/"));
    is_of_apps && object["kind"].as_str().is_some_and(|kind| WORKLOADS.contains(&kind))
}

/// The labels of a workload's pods; nothing where its selector cannot be read, or chooses every pod there is.
fn labels(workload: &Value) -> Option<String> {
    let selector: LabelSelector = serde_json::from_value(workload["spec"]["selector"].clone()).ok()?;
    let selector = Selector::try_from(selector).ok()?;
    (!selector.selects_all()).then(|| selector.to_string())
}

fn unknown(workload: &Value, namespace: &str) -> ClusterError {
    ClusterError::Unreadable {
        what: format!("which pods are those of {}", objects::title(workload)),
        why: format!("it is in {namespace}, where pods of others may be, and its `spec.selector` chooses none"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn workload(kind: &str, namespace: &str, selector: &Value) -> Value {
        let metadata = json!({"name": "mine", "namespace": namespace});
        json!({"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {"selector": selector}})
    }

    #[rstest]
    #[case::one_label(json!({"matchLabels": {"app": "mine"}}), "app=mine")]
    #[case::two_labels(json!({"matchLabels": {"app": "mine", "part": "a"}}), "app=mine,part=a")]
    #[case::an_expression(
        json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["mine", "ours"]}]}),
        "app in (mine,ours)"
    )]
    #[case::labels_and_an_expression(
        json!({"matchLabels": {"app": "mine"}, "matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]}),
        "app=mine,!old"
    )]
    fn elsewhere_only_pods_that_a_workload_selects_are_its_own(
        #[values("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")] kind: &str,
        #[case] selector: Value,
        #[case] labels: &str,
    ) {
        let found = selections(&[workload(kind, "kube-system", &selector)], "jw-1").unwrap();
        let own = Selection { namespace: "jw-1".to_owned(), labels: None };
        let elsewhere = Selection { namespace: "kube-system".to_owned(), labels: Some(labels.to_owned()) };
        assert_eq!(found, BTreeSet::from([own, elsewhere.clone()]));
        assert_eq!(elsewhere.params().label_selector.as_deref(), Some(labels));
    }

    #[rstest]
    #[case::in_the_controllers_own_namespace(workload("Deployment", "jw-1", &Value::Null))]
    #[case::without_a_namespace(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "mine"}}))]
    #[case::of_a_kind_that_selects_none(json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mine", "namespace": "kube-system"},
    }))]
    #[case::of_another_group(json!({
        "apiVersion": "example.com/v1", "kind": "Deployment", "metadata": {"name": "mine", "namespace": "kube-system"},
    }))]
    fn an_object_adds_no_namespace(#[case] object: Value) {
        let found = selections(&[object], "jw-1").unwrap();
        assert_eq!(found, BTreeSet::from([Selection { namespace: "jw-1".to_owned(), labels: None }]));
    }

    #[rstest]
    #[case::that_is_not_there(Value::Null)]
    #[case::that_is_empty(json!({}))]
    #[case::without_labels(json!({"matchLabels": {}}))]
    #[case::with_a_label_that_is_no_text(json!({"matchLabels": {"app": 1}}))]
    #[case::with_an_operator_that_nobody_knows(json!({"matchExpressions": [{"key": "app", "operator": "Like"}]}))]
    fn elsewhere_a_workload_is_refused_with_a_selector(#[case] selector: Value) {
        let refused = selections(&[workload("Deployment", "kube-system", &selector)], "jw-1").unwrap_err().to_string();
        let says = "which pods are those of Deployment mine: it is in kube-system, where pods of others may be";
        assert!(refused.contains(says), "{refused}");
    }
}
