//! Manifests of users: YAML of one document or several, read as carefully as plan files.
//!
//! What is applied goes into a namespace of its own, so only namespaced kinds are taken, and a namespace
//! that a manifest names is left out.

use crate::yaml::{self, FileError, Limits, Place};
use serde_json::Value;

const LIMITS: Limits =
    Limits { what: "manifest", largest: 3 * 1024 * 1024, documents: 1_000, depth: 64, nodes: 500_000 };

/// Kinds that are taken: `apiVersion`, `kind`, path of the group, plural.
const KINDS: [(&str, &str, &str, &str); 13] = [
    ("batch/v1", "Job", "apis/batch/v1", "jobs"),
    ("batch/v1", "CronJob", "apis/batch/v1", "cronjobs"),
    ("v1", "Pod", "api/v1", "pods"),
    ("v1", "ConfigMap", "api/v1", "configmaps"),
    ("v1", "Secret", "api/v1", "secrets"),
    ("v1", "Service", "api/v1", "services"),
    ("v1", "ServiceAccount", "api/v1", "serviceaccounts"),
    ("v1", "PersistentVolumeClaim", "api/v1", "persistentvolumeclaims"),
    ("v1", "ResourceQuota", "api/v1", "resourcequotas"),
    ("v1", "LimitRange", "api/v1", "limitranges"),
    ("policy/v1", "PodDisruptionBudget", "apis/policy/v1", "poddisruptionbudgets"),
    ("networking.k8s.io/v1", "NetworkPolicy", "apis/networking.k8s.io/v1", "networkpolicies"),
    ("coordination.k8s.io/v1", "Lease", "apis/coordination.k8s.io/v1", "leases"),
];

/// One object of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// For messages, for example `Job/pi`.
    pub name: String,
    /// Path of its group, for example `apis/batch/v1`.
    pub group: &'static str,
    /// Plural of its kind.
    pub plural: &'static str,
    /// The object, without a namespace.
    pub object: Value,
}

/// Reads a manifest; `name` is for messages.
///
/// # Errors
/// What is wrong with its form, or every object that is not taken.
pub fn parse(text: &str, name: &str) -> Result<Vec<Manifest>, FileError> {
    let documents: Vec<Value> = yaml::several(text, name, &LIMITS)?;
    let refuse = |problems| FileError { what: LIMITS.what, name: name.to_owned(), text: text.to_owned(), problems };
    let nowhere = |says: String, help: Option<String>| Place::default().problem(says, help);
    let mut taken = Vec::new();
    let mut problems = Vec::new();
    for (position, document) in documents.into_iter().enumerate().filter(|(_, document)| !document.is_null()) {
        match object(document) {
            Ok(manifest) => taken.push(manifest),
            Err(says) => problems.push(nowhere(format!("document {}: {says}", position + 1), Some(kinds()))),
        }
    }
    if problems.is_empty() && taken.is_empty() {
        problems.push(nowhere("there is no object in it".to_owned(), None));
    }
    if problems.is_empty() { Ok(taken) } else { Err(refuse(problems)) }
}

fn kinds() -> String {
    let kinds: Vec<String> = KINDS.iter().map(|(version, kind, ..)| format!("{version} {kind}")).collect();
    format!("kinds that are taken: {}", kinds.join(", "))
}

fn object(mut object: Value) -> Result<Manifest, String> {
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let version = text("apiVersion").ok_or("it has no apiVersion")?;
    let kind = text("kind").ok_or("it has no kind")?;
    let known = KINDS.iter().find(|(known_version, known, ..)| (*known_version, *known) == (&*version, &*kind));
    let (.., group, plural) = *known.ok_or_else(|| format!("{version} {kind} is not taken"))?;
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut).ok_or("it has no metadata")?;
    metadata.remove("namespace");
    let named = metadata.get("name").or_else(|| metadata.get("generateName")).and_then(Value::as_str);
    let name = format!("{kind}/{}", named.unwrap_or("?"));
    Ok(Manifest { name, group, plural, object })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn several_documents_are_taken_and_their_namespace_is_left_out() {
        let text = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: pi, namespace: mine}\n---\n---\n\
                    apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";
        let read = parse(text, "pi.yaml").unwrap();
        let names: Vec<_> = read.iter().map(|one| (one.name.as_str(), one.group, one.plural)).collect();
        assert_eq!(names, [("Job/pi", "apis/batch/v1", "jobs"), ("ConfigMap/settings", "api/v1", "configmaps")]);
        assert_eq!(read[0].object["metadata"].get("namespace"), None);
    }

    #[rstest]
    #[case::nothing("", "there is no object in it")]
    #[case::not_an_object("- a\n", "document 1: it has no apiVersion")]
    #[case::no_kind("apiVersion: v1\n", "document 1: it has no kind")]
    #[case::a_kind_of_the_cluster(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n",
        "document 1: v1 Node is not taken"
    )]
    #[case::no_metadata("apiVersion: v1\nkind: Pod\n", "document 1: it has no metadata")]
    #[case::a_key_twice("apiVersion: v1\napiVersion: v1\n", "line 2, column 1: the key `apiVersion` is given twice")]
    #[case::no_yaml("a: [\n", "line 1, column 4: unclosed bracket")]
    fn what_is_not_taken_is_told(#[case] text: &str, #[case] says: &str) {
        let error = parse(text, "x.yaml").unwrap_err().to_string();
        assert!(error.starts_with(&format!("failed to read the manifest x.yaml: {says}")), "{error}");
    }

    #[test]
    fn a_thousand_and_one_documents_are_too_many() {
        let document = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
        assert_eq!(parse(&document.repeat(1_000), "x").unwrap().len(), 1_000);
        assert!(parse(&document.repeat(1_001), "x").is_err());
    }
}
