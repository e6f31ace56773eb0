//! Files that somebody else wrote, whole, broken and half.

use super::*;
use crate::Seen;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

const NAMESPACE: &str = "team";

fn object(kind: &str, name: &str, revision: u64, more: Value) -> Value {
    let version = if kind == "Job" { "batch/v1" } else { "v1" };
    let mut metadata = json!({"name": name, "namespace": NAMESPACE, "uid": format!("uid-{name}"),
        "resourceVersion": revision.to_string(), "managedFields": [{"time": "2026-01-01T00:00:05Z"}]});
    if let (Some(into), Some(more)) = (metadata.as_object_mut(), more.as_object()) {
        into.extend(more.clone());
    }
    json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec(kind)})
}

fn spec(kind: &str) -> Value {
    let pod = json!({"containers": [], "restartPolicy": "Never"});
    if kind == "Job" { json!({"template": {"spec": pod}}) } else { pod }
}

fn owned(name: &str, revision: u64) -> Value {
    let owner = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "uid-job", "controller": true});
    object("Pod", name, revision, json!({"ownerReferences": [owner]}))
}

/// A request at this second; without `answer` it is logged without its object.
fn request(verb: &str, resource: &str, name: &str, second: u32, code: u32, answer: Value) -> Value {
    let group = if resource == "jobs" { json!("batch") } else { json!(null) };
    let mut event = json!({"kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": "ResponseComplete", "verb": verb,
        "user": {"username": "somebody"}, "stageTimestamp": format!("2026-01-01T00:00:{second:02}.5Z"),
        "objectRef": {"resource": resource, "namespace": NAMESPACE, "name": name, "apiGroup": group},
        "responseStatus": {"code": code, "reason": "Forbidden", "message": "no"}});
    if !answer.is_null() {
        event["responseObject"] = answer;
    }
    event
}

fn read(values: impl IntoIterator<Item = Value>) -> Result<Imported, ImportError> {
    let mut importer = Importer::default();
    values.into_iter().for_each(|value| importer.take(value).unwrap());
    importer.finish(None)
}

/// Revision, milliseconds, and what happened.
fn told(imported: &Imported) -> Vec<(u64, u128, String)> {
    let what = |entry: &Entry| match &entry.fact {
        Fact::Object(sighting) => format!("{} {}", sighting.kind(), sighting.name()),
        Fact::ObjectGone(sighting) => format!("{} {} is gone", sighting.kind(), sighting.name()),
        Fact::Answer(answer) => format!("{} {}", answer.to, answer.code),
        Fact::Gap(resource) => format!("gap of {resource}"),
        Fact::Notice(notice) => format!("{} on {}", notice.reason, notice.about),
        other => format!("{other:?}"),
    };
    imported.entries.iter().map(|entry| (entry.revision, entry.at.as_millis(), what(entry))).collect()
}

fn all(of: &[(u64, u128, &str)]) -> Vec<(u64, u128, String)> {
    of.iter().map(|(revision, at, what)| (*revision, *at, (*what).to_owned())).collect()
}

#[test]
fn an_audit_log_is_a_history_of_writes_refusals_and_removals() {
    let let_go = json!({"deletionTimestamp": "2026-01-01T00:00:09Z", "deletionGracePeriodSeconds": 0});
    let imported = read([
        request("create", "jobs", "job", 1, 201, object("Job", "job", 10, json!({}))),
        request("create", "pods", "pod", 2, 201, owned("pod", 11)),
        request(
            "list",
            "pods",
            "",
            3,
            200,
            json!({"kind": "PodList", "apiVersion": "v1", "items": [owned("pod", 11)]}),
        ),
        request("create", "pods", "stranger", 3, 201, object("Pod", "stranger", 12, json!({}))),
        request("patch", "pods", "pod", 4, 403, json!({"kind": "Status"})),
        request("delete", "pods", "pod", 5, 200, {
            let mut pod = owned("pod", 13);
            pod["metadata"]["deletionTimestamp"] = let_go["deletionTimestamp"].clone();
            pod["metadata"]["deletionGracePeriodSeconds"] = 0.into();
            pod
        }),
        request("delete", "jobs", "job", 6, 200, json!({"kind": "Status", "status": "Success"})),
    ]);
    let imported = imported.unwrap();
    assert_eq!(imported.started, "2026-01-01T00:00:01.5Z".parse::<Timestamp>().unwrap());
    assert_eq!(
        told(&imported),
        all(&[
            (10, 0, "Job job"),
            (11, 1_000, "Pod pod"),
            (12, 3_000, "patch pods pod by somebody 403"),
            (13, 4_000, "Pod pod is gone"),
            (13, 5_000, "Job job is gone"),
        ])
    );
    assert_eq!(imported.notes, Vec::<String>::new());
}

#[test]
fn a_write_without_its_object_is_a_gap_and_told() {
    let imported = read([
        request("create", "jobs", "job", 1, 201, object("Job", "job", 10, json!({}))),
        request("patch", "pods", "pod", 2, 200, Value::Null),
        request("get", "pods", "pod", 3, 200, Value::Null),
    ]);
    let imported = imported.unwrap();
    assert_eq!(told(&imported), all(&[(10, 0, "Job job"), (10, 1_000, "gap of pods")]));
    assert_eq!(imported.notes, ["1 write to pods without its object: what they changed is not known"]);
}

#[test]
fn a_log_without_any_object_says_what_the_policy_must_be() {
    let refused = read([request("create", "jobs", "job", 1, 201, Value::Null)]).unwrap_err().to_string();
    assert!(refused.contains("1 write to jobs") && refused.contains("level: RequestResponse"), "{refused}");
}

#[test]
fn a_watch_is_a_history_with_times_of_whole_seconds() {
    let imported = read([
        json!({"type": "ADDED", "object": object("Job", "job", 10, json!({}))}),
        json!({"type": "ADDED", "object": owned("pod", 12)}),
        json!({"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": {"resourceVersion": "13"}}}),
        json!({"type": "MODIFIED", "object": owned("pod", 14)}),
        json!({"type": "DELETED", "object": owned("pod", 15)}),
    ]);
    let imported = imported.unwrap();
    assert_eq!(
        told(&imported),
        all(&[(10, 0, "Job job"), (12, 0, "Pod pod"), (14, 0, "Pod pod"), (15, 0, "Pod pod is gone")])
    );
    assert_eq!(imported.notes.len(), 1, "{:?}", imported.notes);
}

#[test]
fn bare_objects_are_gone_once_nothing_holds_them() {
    let gone = json!({"deletionTimestamp": "2026-01-01T00:00:09Z"});
    let values = [object("Job", "job", 10, json!({})), object("Job", "job", 11, gone)];
    let imported = read([json!({"kind": "List", "apiVersion": "v1", "items": values})]).unwrap();
    assert_eq!(told(&imported), all(&[(10, 0, "Job job"), (11, 4_000, "Job job is gone")]));
    assert_eq!(imported.notes.len(), 2, "{:?}", imported.notes);
}

#[rstest]
#[case::a_number(json!(7))]
#[case::an_object_of_nothing(json!({}))]
#[case::a_word_that_no_watch_says(json!({"type": "MANGLED", "object": {"kind": "Pod"}}))]
fn a_value_that_is_none_of_these_is_refused(#[case] value: Value) {
    assert!(Importer::default().take(value).is_err());
}

#[test]
fn of_several_jobs_one_must_be_named() {
    let mut importer = Importer::default();
    for name in ["one", "two"] {
        importer.take(object("Job", name, 10, json!({}))).unwrap();
    }
    let named = |job: &str| Choice { namespace: NAMESPACE.to_owned(), job: job.to_owned() };
    let error = importer.chosen(None).unwrap_err().to_string();
    assert_eq!(error, "there are several Jobs in it: team/one, team/two");
    let error = importer.chosen(Some(&named("three"))).unwrap_err().to_string();
    assert_eq!(error, "there is no Job team/three in it, but: team/one, team/two");
    assert_eq!(told(&importer.finish(Some(&named("two"))).unwrap()), all(&[(10, 0, "Job two")]));
}

#[test]
fn a_file_without_jobs_says_so() {
    assert_eq!(read([object("Pod", "pod", 1, json!({}))]).unwrap_err(), ImportError::NoJob);
}

#[test]
fn a_history_is_narrowed_to_a_job_and_its_pods() {
    let seen =
        |value: Value, fact: fn(Value) -> Fact| Entry { revision: 1, at: std::time::Duration::ZERO, fact: fact(value) };
    let job = |value| Fact::there(Seen::<Job>::new(value).unwrap());
    let pod = |value| Fact::there(Seen::<Pod>::new(value).unwrap());
    let entries = vec![
        seen(object("Job", "job", 1, json!({})), job),
        seen(object("Job", "other", 2, json!({})), job),
        seen(owned("pod", 3), pod),
        seen(object("Pod", "stranger", 4, json!({})), pod),
    ];
    let choice = Choice { namespace: NAMESPACE.to_owned(), job: "job".to_owned() };
    let names: Vec<String> = narrowed(entries, &choice)
        .iter()
        .filter_map(|entry| entry.fact.sighting().map(|sighting| sighting.name().to_owned()))
        .collect();
    assert_eq!(names, ["job", "pod"]);
}

proptest! {
    /// Whatever is in a file, reading it neither panics nor lets time run back within an object.
    #[test]
    fn any_order_of_events_is_read(
        steps in prop::collection::vec((0_usize..5, 1_u64..20, 0_u32..60), 0..20),
    ) {
        let verbs = ["create", "patch", "delete", "get", "deletecollection"];
        let mut importer = Importer::default();
        importer.take(object("Job", "job", 1, json!({}))).unwrap();
        for (verb, revision, second) in steps {
            importer.take(request(verbs[verb], "pods", "pod", second, 200, owned("pod", revision))).unwrap();
        }
        let imported = importer.finish(None).unwrap();
        let times: Vec<_> = imported.entries.iter().filter(|entry| entry.fact.version::<Pod>().is_some()).map(|entry| entry.at).collect();
        prop_assert!(times.is_sorted(), "{:?}", times);
    }
}
