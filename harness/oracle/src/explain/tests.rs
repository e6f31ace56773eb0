//! Jobs in every state, and the reasons in words.

use super::*;
use crate::recorded::Seen;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

fn now() -> Timestamp {
    "2026-01-01T00:10:00Z".parse().unwrap()
}

fn job(spec: Value, status: Value) -> Job {
    let metadata = json!({"name": "job", "uid": "u"});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec, "status": status})).unwrap()
}

fn spec(more: Value) -> Value {
    let template = json!({"spec": {"containers": [], "restartPolicy": "Never"}});
    let mut spec = json!({"template": template, "completions": 2, "parallelism": 2});
    merge(&mut spec, more);
    spec
}

fn merge(into: &mut Value, more: Value) {
    let Value::Object(more) = more else { return };
    more.into_iter().for_each(|(key, value)| into[key] = value);
}

/// A pod in this phase, which ended or began at minute 9 and this second.
fn pod(name: &str, phase: &str, second: u32, more: Value) -> Pod {
    let at = format!("2026-01-01T00:09:{second:02}Z");
    let terminated = json!({"exitCode": 1, "finishedAt": at});
    let container = json!({"name": "main", "image": "x", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"terminated": terminated}});
    let containers = if phase == "Running" || phase == "Pending" { json!([]) } else { json!([container]) };
    let mut metadata = json!({"name": name, "uid": name, "creationTimestamp": at});
    merge(&mut metadata, more);
    serde_json::from_value(json!({"metadata": metadata, "status": {"phase": phase, "containerStatuses": containers}}))
        .unwrap()
}

fn held() -> Value {
    json!({"finalizers": [well_known::TRACKING_FINALIZER]})
}

fn condition(kind: &str) -> Value {
    json!({"conditions": [{"type": kind, "status": "True", "reason": "Why", "message": "so",
        "lastTransitionTime": "2026-01-01T00:09:30Z"}]})
}

#[track_caller]
fn says(job: &Job, pods: &[Pod], notices: &[Notice], expected: &[&str]) {
    let pods: Vec<&Pod> = pods.iter().collect();
    let reasons = why(Scene { job, pods: &pods, notices, now: now() });
    let words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    assert_eq!(words, expected);
}

#[rstest]
#[case::complete(json!({}), condition("Complete"), &[
    "it is Complete since 2026-01-01T00:09:30Z (Why: so)", "it has no TTL: it stays until somebody deletes it"])]
#[case::with_a_ttl_to_come(json!({"ttlSecondsAfterFinished": 100}), condition("Failed"), &[
    "it is Failed since 2026-01-01T00:09:30Z (Why: so)",
    "its TTL ends at 2026-01-01T00:11:10Z, 70 s after the last change"])]
#[case::with_a_ttl_that_is_over(json!({"ttlSecondsAfterFinished": 0}), condition("Complete"), &[
    "it is Complete since 2026-01-01T00:09:30Z (Why: so)",
    "its TTL ends at 2026-01-01T00:09:30Z, which was over for 30 s at the last change"])]
#[case::decided(json!({}), condition("FailureTarget"), &[
    "it is decided to fail since 2026-01-01T00:09:30Z (Why: so)",
    "nothing is left to wait for: the next step is the controller's"])]
#[case::suspended(json!({"suspend": true}), condition("Suspended"), &[
    "it is suspended since 2026-01-01T00:09:30Z: no pod is started until spec.suspend is false"])]
#[case::of_somebody_else(json!({"managedBy": "example.com/x"}), json!({}), &[
    "it is left to example.com/x (spec.managedBy)",
    "2 pods are missing, and nothing holds them back: the controller is to create them"])]
#[case::nobody_looked_at(json!({}), json!({}), &[
    "2 pods are missing, and nothing holds them back: the controller is to create them"])]
#[case::with_a_deadline(json!({"activeDeadlineSeconds": 700, "parallelism": 1}),
    json!({"startTime": "2026-01-01T00:00:00Z"}), &[
    "its deadline is at 2026-01-01T00:11:40Z, 100 s after the last change",
    "1 pod is missing, and nothing holds it back: the controller is to create it"])]
#[case::all_counted_and_not_declared(json!({}), json!({"succeeded": 2}), &[
    "nothing is left to wait for: the next step is the controller's"])]
fn a_job_without_pods_is(#[case] more: Value, #[case] status: Value, #[case] expected: &[&str]) {
    says(&job(spec(more), status), &[], &[], expected);
}

#[rstest]
#[case::two_that_run(json!({}), &[pod("a", "Running", 0, json!({})), pod("b", "Running", 1, json!({}))], &[
    "waiting for the end of 2 pods: a, b"])]
#[case::one_that_nobody_scheduled(json!({"parallelism": 1}), &[pod("a", "Pending", 0, json!({}))], &[
    "waiting for pod a to be scheduled (Pending)"])]
#[case::one_that_is_not_counted(json!({"completions": 1}), &[pod("a", "Succeeded", 0, held())], &[
    "ended and not counted yet (the tracking finalizer holds them): 1 pod: a"])]
#[case::a_failure_a_moment_ago(json!({"completions": 1}), &[pod("a", "Failed", 58, json!({}))], &[
    "back-off after one failure: the next pod comes not before 2026-01-01T00:10:08Z, 8 s after the last change"])]
#[case::two_failures_in_a_row(json!({"completions": 1}), &[pod("a", "Failed", 20, json!({})), pod("b", "Failed", 55, json!({}))], &[
    "back-off after 2 failures in a row: the next pod comes not before 2026-01-01T00:10:15Z, 15 s after the last change"])]
#[case::a_success_between_them(json!({"completions": 2, "parallelism": 1}), &[
    pod("a", "Failed", 20, json!({})), pod("b", "Succeeded", 50, json!({})), pod("c", "Failed", 55, json!({}))], &[
    "back-off after one failure: the next pod comes not before 2026-01-01T00:10:05Z, 5 s after the last change"])]
#[case::a_failure_long_ago(json!({"completions": 1}), &[pod("a", "Failed", 0, json!({}))], &[
    "1 pod is missing, and nothing holds it back: the controller is to create it"])]
#[case::one_that_stops_and_is_replaced_late(json!({"completions": 1, "podReplacementPolicy": "Failed"}),
    &[pod("a", "Running", 0, json!({"deletionTimestamp": "2026-01-01T00:09:59Z"}))], &[
    "told to stop, waiting for the end of 1 pod: a"])]
#[case::a_failure_of_an_index(json!({"completionMode": "Indexed", "backoffLimitPerIndex": 3, "completions": 1}),
    &[pod("a", "Failed", 50, json!({"annotations": {well_known::COMPLETION_INDEX: "0", well_known::INDEX_FAILURE_COUNT: "1"}}))], &[
    "back-off after 2 failures in a row: the next pod of index 0 comes not before 2026-01-01T00:10:10Z, 10 s after the last change"])]
fn a_job_with_pods_waits_for(#[case] more: Value, #[case] pods: &[Pod], #[case] expected: &[&str]) {
    says(&job(spec(more), json!({})), pods, &[], expected);
}

#[test]
fn a_decided_job_names_the_pods_that_hold_its_end_up() {
    let stopping = pod("b", "Running", 0, json!({"deletionTimestamp": "2026-01-01T00:09:59Z"}));
    let pods = [pod("a", "Running", 0, json!({})), stopping, pod("c", "Failed", 0, held())];
    says(
        &job(spec(json!({})), condition("SuccessCriteriaMet")),
        &pods,
        &[],
        &[
            "it is decided to succeed since 2026-01-01T00:09:30Z (Why: so)",
            "not told to stop yet: 1 pod: a",
            "told to stop, waiting for the end of 1 pod: b",
            "ended and not counted yet (the tracking finalizer holds them): 1 pod: c",
        ],
    );
}

#[test]
fn a_finished_job_whose_pods_are_held_says_so() {
    let expected = [
        "it is Complete since 2026-01-01T00:09:30Z (Why: so)",
        "it is finished, and the tracking finalizer still holds 1 pod: a",
        "it has no TTL: it stays until somebody deletes it",
    ];
    says(&job(spec(json!({})), condition("Complete")), &[pod("a", "Succeeded", 0, held())], &[], &expected);
}

#[test]
fn a_refused_creation_is_told_until_one_succeeds() {
    let notice = |reason: &str| Notice {
        kind: "Warning".to_owned(),
        reason: reason.to_owned(),
        message: "exceeded quota".to_owned(),
        about: "Job/job".to_owned(),
        count: 1,
    };
    let job = job(spec(json!({})), json!({}));
    let refused = "2 pods are missing, and the last attempt to create one was refused: exceeded quota";
    says(&job, &[], &[notice("FailedCreate")], &[refused]);
    let due = "2 pods are missing, and nothing holds them back: the controller is to create them";
    says(&job, &[], &[notice("FailedCreate"), notice("SuccessfulCreate")], &[due]);
}

#[test]
fn a_hundred_pods_that_wait_alike_are_one_line() {
    let pods: Vec<Pod> = (0..100).map(|number| pod(&format!("p{number}"), "Pending", 0, json!({}))).collect();
    let job = job(spec(json!({"completions": 100, "parallelism": 100})), json!({}));
    says(&job, &pods, &[], &["waiting for the start of 100 pods: p0, p1, p2, p3 and 96 more"]);
}

proptest! {
    /// Whatever the objects say, there is a reason, in one line.
    #[test]
    fn there_is_always_a_reason(
        phases in prop::collection::vec(prop::sample::select(vec!["Pending", "Running", "Failed", "Succeeded"]), 0..6),
        held_up in any::<bool>(),
        kind in prop::sample::select(vec!["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Suspended", "Other"]),
        completions in prop::option::of(0_i32..4),
        numbers in (any::<i32>(), any::<i64>()),
    ) {
        let more = json!({"completions": completions, "ttlSecondsAfterFinished": numbers.0, "activeDeadlineSeconds": numbers.1});
        let metadata = if held_up { held() } else { json!({}) };
        let pods: Vec<Pod> = phases.iter().map(|phase| pod("p", phase, 30, metadata.clone())).collect();
        let pods: Vec<&Pod> = pods.iter().collect();
        let reasons = why(Scene { job: &job(spec(more), condition(kind)), pods: &pods, notices: &[], now: now() });
        prop_assert!(!reasons.is_empty());
        prop_assert!(reasons.iter().all(|reason| !reason.to_string().contains('\n')));
    }
}

#[test]
fn a_recording_is_explained_as_of_its_last_entry() {
    use crate::{Ending, Entry, Fact, Ownership, Setting};
    let raw = json!({"metadata": {"name": "job", "uid": "u"}, "spec": spec(json!({}))});
    let seen = Seen::<Job>::new(raw).unwrap();
    let entry = Entry { revision: 1, at: std::time::Duration::from_secs(60), fact: Fact::there(seen) };
    let setting = Setting {
        case: "observe/manifest".to_owned(),
        namespace: "n".to_owned(),
        started: now(),
        kubernetes: "1.37.1".parse().unwrap(),
        emulated: None,
        gates: std::collections::BTreeMap::new(),
        subject: "builtin".to_owned(),
        judged: jobsworth_api::Resource::JOBS,
        ownership: Ownership::BuiltIn,
        shared: false,
    };
    let explained = at_end(&Timeline::seal(setting, vec![entry], Ending::Complete));
    assert_eq!(explained, [Explained { job: "job".to_owned(), reasons: vec![Reason::PodsAreDue(2)] }]);
}
