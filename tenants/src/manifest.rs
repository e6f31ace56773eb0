//! The Jobs of tenants, and what can be read of a Job.

use serde::Deserialize;
use serde_json::{Value, json};

/// The label of every Job of tenants; its value is the seed.
pub const LABEL: &str = "jobsworth.dev/tenants";

/// A Job as a tenant wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many pods have to succeed.
    pub completions: u32,
    /// How many of them there are at the same time.
    pub parallelism: u32,
    /// How they are counted.
    pub mode: Mode,
    /// Whether it waits for somebody to let it go.
    pub start: Start,
}

/// How completions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each index once.
    Indexed,
    /// As many pods as there are completions.
    NonIndexed,
}

/// Whether a Job begins by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It does.
    AtOnce,
    /// It is suspended.
    Suspended,
}

impl Shape {
    /// One pod.
    pub const ONE_POD: Self = Self { completions: 1, parallelism: 1, mode: Mode::NonIndexed, start: Start::AtOnce };
    /// The same, suspended.
    pub const SUSPENDED: Self = Self { start: Start::Suspended, ..Self::ONE_POD };
    /// Three pods, one after the other.
    pub const IN_TURNS: Self = Self { completions: 3, ..Self::ONE_POD };
    /// Hundreds of pods at once.
    pub const LARGE: Self = Self { completions: 400, parallelism: 400, mode: Mode::Indexed, start: Start::AtOnce };
}

/// The manifest of a Job of this name.
#[must_use]
pub fn job(name: &str, shape: Shape, seed: u64, manager: Option<&str>) -> Value {
    let mode = match shape.mode {
        Mode::Indexed => "Indexed",
        Mode::NonIndexed => "NonIndexed",
    };
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": name, "labels": {LABEL: seed.to_string()}},
        "spec": {
            "completions": shape.completions,
            "parallelism": shape.parallelism,
            "completionMode": mode,
            "suspend": shape.start == Start::Suspended,
            "template": {"spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": false,
                "terminationGracePeriodSeconds": 1,
                "containers": [{"name": "main", "image": "nobody-runs-it"}],
            }},
        },
    });
    if let Some(manager) = manager {
        job["spec"]["managedBy"] = json!(manager);
    }
    job
}

/// Whether a Job has succeeded or failed.
#[must_use]
pub fn has_ended(job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|condition| {
        condition["status"] == "True" && (condition["type"] == "Complete" || condition["type"] == "Failed")
    })
}

/// The version of an object.
#[must_use]
pub fn version(object: &Value) -> Option<&str> {
    object["metadata"]["resourceVersion"].as_str()
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Meta,
}

#[derive(Deserialize)]
struct Meta {
    name: String,
}

/// The name of the last object of a list, if there is one.
#[must_use]
pub fn last_name(list: &str) -> Option<String> {
    let list: List = serde_json::from_str(list).ok()?;
    list.items.into_iter().next_back().map(|item| item.metadata.name)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn a_job_has_its_shape_its_label_and_its_manager() {
        let one = job("one", Shape::LARGE, 7, Some("example.com/it"));
        assert_eq!((&one["spec"]["completions"], &one["spec"]["completionMode"]), (&400.into(), &"Indexed".into()));
        assert_eq!(one["metadata"]["labels"][LABEL], "7");
        assert_eq!(one["spec"]["managedBy"], "example.com/it");
        assert_eq!(one["spec"]["suspend"], false);
        let other = job("other", Shape::SUSPENDED, 7, None);
        assert_eq!((&other["spec"]["suspend"], other["spec"].get("managedBy")), (&true.into(), None));
    }

    #[rstest]
    #[case::complete("Complete", "True", true)]
    #[case::failed("Failed", "True", true)]
    #[case::not_any_more("Complete", "False", false)]
    #[case::on_its_way("SuccessCriteriaMet", "True", false)]
    fn a_job_has_ended_by_a_condition(#[case] kind: &str, #[case] status: &str, #[case] ended: bool) {
        let job = json!({"status": {"conditions": [{"type": kind, "status": status}]}});
        assert_eq!(has_ended(&job), ended);
    }

    #[test]
    fn what_is_not_there_is_not_read() {
        assert!(!has_ended(&json!({})));
        assert_eq!(version(&json!({"metadata": {}})), None);
        assert_eq!(version(&json!({"metadata": {"resourceVersion": "12"}})), Some("12"));
        assert_eq!(last_name(r#"{"items": []}"#), None);
        assert_eq!(last_name("no list"), None);
        assert_eq!(
            last_name(r#"{"items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]}"#).as_deref(),
            Some("b")
        );
    }
}
