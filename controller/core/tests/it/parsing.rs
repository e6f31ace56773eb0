//! Jobs and pods as the API has them.

use jobsworth_core::pod::Phase;
use jobsworth_core::{JobView, Mode, PodView, Status, Unparsable};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use rstest::rstest;
use serde_json::{Value, json};

use crate::world;

fn pod(status: Value, spec: Value, annotations: Value) -> PodView {
    let object = json!({
        "metadata": {
            "name": "p", "uid": "u", "resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:00Z",
            "deletionTimestamp": "2026-01-01T00:05:30Z", "deletionGracePeriodSeconds": 30,
            "finalizers": ["batch.kubernetes.io/job-tracking"], "annotations": annotations, "labels": {"b": "2", "a": "1"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "x"},
                {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": true}
            ],
        },
        "spec": spec, "status": status,
    });
    PodView::parse(&serde_json::from_value::<Pod>(object).unwrap()).unwrap()
}

fn terminated(name: &str, code: i32, at: &str) -> Value {
    let state = json!({"terminated": {"exitCode": code, "finishedAt": format!("2026-01-01T00:{at}Z")}});
    json!({"name": name, "restartCount": 2, "image": "", "imageID": "", "ready": false, "state": state})
}

/// (BKO-009)
#[rstest]
#[case::the_last_container(json!({"containerStatuses": [terminated("a", 0, "01:00"), terminated("b", 1, "02:00")]}), "02:00")]
#[case::not_while_one_runs(
    json!({"containerStatuses": [terminated("a", 0, "01:00"), {"name": "b", "restartCount": 0, "image": "", "imageID": "", "ready": true, "state": {"running": {}}}],
           "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:03:00Z"}]}), "03:00")]
#[case::the_deletion_was_asked_for_before_the_grace(json!({}), "05:00")]
fn finish_time(#[case] status: Value, #[case] expected: &str) {
    let expected = format!("2026-01-01T00:{expected}Z");
    assert_eq!(pod(status, json!({"containers": []}), json!({})).finished.to_string(), expected);
}

/// (PFP-003, BKO-002, PAR-010, SYN-008)
#[test]
fn restarts_exits_owner_and_labels() {
    let status = json!({
        "phase": "Failed",
        "containerStatuses": [terminated("main", 42, "01:00"), terminated("fine", 0, "01:00")],
        "initContainerStatuses": [terminated("side", 7, "01:30"), terminated("init", 0, "01:00")],
    });
    let spec =
        json!({"containers": [], "initContainers": [{"name": "side", "restartPolicy": "Always"}, {"name": "init"}]});
    let pod = pod(status, spec, json!({}));
    assert_eq!((pod.restarts, pod.restarts_with_init, pod.phase), (2, 8, Phase::Failed));
    let exits: Vec<_> = pod.exits.iter().map(|exit| (&*exit.container, exit.code)).collect();
    assert_eq!(exits, [("main", 42), ("side", 7)]);
    assert_eq!(&*pod.labels[0].0, "a");
    assert!(pod.belongs_to(&world::job("1 pods")) && pod.tracked && pod.deleting);
}

/// (IDX-013, BLI-002)
#[rstest]
#[case::a_number(json!("3"), Some(3))]
#[case::negative(json!("-1"), None)]
#[case::too_large(json!("2147483648"), None)]
#[case::no_number(json!("x"), None)]
fn index_and_failures(#[case] text: Value, #[case] number: Option<u32>) {
    let annotations = json!({
        "batch.kubernetes.io/job-completion-index": text,
        "batch.kubernetes.io/job-index-failure-count": text,
    });
    let pod = pod(json!({}), json!({"containers": []}), annotations);
    assert_eq!((pod.index, pod.failures.counted), (number, number.unwrap_or_default()));
}

fn job(spec: Value, status: Value) -> Result<JobView, Unparsable> {
    let mut spec = spec;
    spec["template"] = json!({"spec": {"containers": []}});
    let meta = json!({"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "9", "generation": 1});
    let object = json!({"metadata": meta, "spec": spec, "status": status});
    JobView::parse(&serde_json::from_value::<Job>(object).unwrap())
}

#[test]
fn defaults_are_those_of_the_api() {
    let spec = job(json!({}), json!({})).unwrap().spec;
    assert_eq!((spec.parallelism, spec.completions, spec.backoff_limit), (1, Some(1), 6));
    assert_eq!(job(json!({"parallelism": 2}), json!({})).unwrap().spec.completions, None);
    let per_index = job(json!({"completionMode": "Indexed", "backoffLimitPerIndex": 1}), json!({})).unwrap().spec;
    assert_eq!((per_index.backoff_limit, &per_index.mode), (2_147_483_647, &Mode::Indexed));
}

#[rstest]
#[case::a_negative_number(json!({"completions": -1}))]
#[case::an_unknown_operator(json!({"selector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}))]
fn what_the_api_would_refuse_is_not_parsed(#[case] spec: Value) {
    assert!(matches!(job(spec, json!({})), Err(Unparsable::Invalid { .. })));
}

/// (IDX-021, PRP-009, BLI-018)
#[test]
fn policies_are_parsed_once_for_a_generation() {
    let object = json!({
        "metadata": {"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "9", "generation": 1},
        "spec": {"template": {"spec": {"containers": []}}},
    });
    let object: Job = serde_json::from_value(object).unwrap();
    let first = JobView::parse(&object).unwrap();
    let second = JobView::parse_after(&object, Some(&first)).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first.spec, &second.spec));
    let older = JobView { generation: 0, ..first.clone() };
    assert!(!std::sync::Arc::ptr_eq(&first.spec, &JobView::parse_after(&object, Some(&older)).unwrap().spec));
}

/// (SLO-009)
#[rstest]
#[case::all_that_it_wants_at_once(json!({"parallelism": 5, "completions": 400}), json!({}), 10)]
#[case::its_pods_are_there(json!({"parallelism": 5, "completions": 5}), json!({"active": 5}), 5)]
#[case::some_are_missing(json!({"parallelism": 500, "completions": 400}), json!({"succeeded": 390, "active": 4}), 16)]
#[case::a_work_queue(json!({"parallelism": 30}), json!({"succeeded": 1}), 60)]
#[case::too_many(json!({"parallelism": 1, "completions": 400}), json!({"active": 300}), 300)]
#[case::to_be_suspended(json!({"parallelism": 400, "completions": 400, "suspend": true}), json!({"active": 7}), 7)]
#[case::suspended(json!({"parallelism": 400, "completions": 400, "suspend": true}), json!({}), 0)]
#[case::finished(json!({"parallelism": 400}), json!({"conditions": [{"type": "Failed", "status": "True"}]}), 0)]
#[case::beyond_all_numbers(json!({"parallelism": i32::MAX}), json!({"active": i32::MAX}), i32::MAX.unsigned_abs())]
fn how_much_is_left_to_do(#[case] spec: Value, #[case] status: Value, #[case] requests: u32) {
    assert_eq!(job(spec, status).unwrap().work_left(), requests);
}

#[test]
fn a_status_reads_back_as_it_was_written() {
    let job = world::job("5 pods, indexed, limit per index 1");
    let status = world::status(
        "2 active, 1 ready, 1 terminating, 3 failed, done 0-2, lost 4, listed failed a b, FailureTarget X, Suspended False Y",
        &job,
    );
    assert_eq!(Status::parse(&status.to_api(), Some(5)), status);
}

#[test]
fn two_thousand_million_completions_cost_nothing() {
    let mut job = world::job("2147483647 pods, indexed, 2 at a time");
    job.status = world::status("done 0-2147483640", &job);
    let seen = jobsworth_core::Snapshot { job: &job, pods: &[], pods_revision: 0 };
    let limits = jobsworth_core::Limits::UPSTREAM;
    let gates = jobsworth_core::Gates::V1_36;
    let decision =
        jobsworth_core::reconcile(&seen, &jobsworth_core::Memory::default(), world::start(), &gates, &limits);
    let born: Vec<_> = decision.batches[0].actions.iter().map(|action| format!("{action:?}")).collect();
    assert!(born.len() == 2 && born[0].contains("Some(2147483641)"), "{born:?}");
}

/// Fields of later versions and of older ones do not matter (FIN-017).
#[test]
fn the_tracking_annotation_of_old_versions_is_not_looked_at() {
    let object = |annotations: Value| {
        let meta =
            json!({"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "9", "annotations": annotations});
        let object = json!({"metadata": meta, "spec": {"template": {"spec": {"containers": []}}}});
        format!("{:?}", JobView::parse(&serde_json::from_value::<Job>(object).unwrap()).unwrap())
    };
    assert_eq!(object(json!({"batch.kubernetes.io/job-tracking": ""})), object(json!({})));
}

/// (SYN-013, STA-014)
#[rstest]
#[case::pending("Pending", false, [true, false])]
#[case::running("Running", false, [true, false])]
#[case::told_to_stop("Running", true, [false, true])]
#[case::ended("Failed", false, [false, false])]
#[case::ended_and_told_to_stop("Succeeded", true, [false, false])]
fn active_and_terminating(#[case] phase: &str, #[case] deleting: bool, #[case] expected: [bool; 2]) {
    let mut pod = pod(json!({"phase": phase}), json!({"containers": []}), json!({}));
    pod.deleting = deleting;
    assert_eq!([pod.is_active(), pod.is_terminating()], expected);
}

/// All that a rule can match is type and status, whatever the reason (PFP-018, PFP-005).
#[rstest]
#[case("PreemptionByKubeScheduler")]
#[case("DeletionByTaintManager")]
#[case("EvictionByEvictionAPI")]
#[case("DeletionByPodGC")]
#[case("TerminationByKubelet")]
fn a_disruption_is_one_whatever_its_reason(#[case] reason: &str) {
    let status =
        json!({"phase": "Failed", "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason}]});
    let pod = pod(status, json!({"containers": []}), json!({}));
    let job = world::job("1 pods, Ignore on DisruptionTarget");
    let ruling = job.spec.failure_policy.as_ref().unwrap().ruling(&job, &pod, &jobsworth_core::Gates::V1_36);
    assert_eq!(ruling.unwrap().action.as_str(), "Ignore");
}

/// The longest lists there can be, five digits and a comma for every second index (IDX-029, SUC-022).
#[test]
fn fifty_thousand_separate_indexes_are_written_and_read() {
    let completed: jobsworth_api::IndexSet = (0..100_000).step_by(2).collect();
    let failed: jobsworth_api::IndexSet = (1..100_000).step_by(2).collect();
    let status = Status {
        succeeded: 50_000,
        completed: completed.into(),
        failed_indexes: Some(std::sync::Arc::new(failed)),
        ..Status::default()
    };
    let written = status.to_api();
    let bytes = written.completed_indexes.as_deref().map_or(0, str::len)
        + written.failed_indexes.as_deref().map_or(0, str::len);
    assert!((550_000..600_000).contains(&bytes), "{bytes} bytes");
    let read = Status::parse(&written, Some(100_000));
    assert_eq!(
        (read.completed, read.failed_indexes, read.stale_text),
        (status.completed, status.failed_indexes, false)
    );
}

/// (SUC-022)
#[test]
fn a_rule_with_a_list_of_64_kib_is_met_by_all_of_them_and_not_before() {
    let text: Vec<String> = (0..23_000).step_by(2).map(|index| index.to_string()).collect();
    let text = text.join(",");
    assert!((60_000..=65_536).contains(&text.len()), "{} bytes", text.len());
    let rule = json!({"successPolicy": {"rules": [{"succeededIndexes": text}]}});
    let spec = job(rule, json!({})).unwrap().spec;
    let policy = spec.success_policy.as_ref().unwrap();
    assert_eq!(policy.satisfied_by(&(0..23_000).collect()), Some(0));
    assert_eq!(policy.satisfied_by(&(1..23_000).collect()), None);
}

/// What is passed over does not matter to any decision.
#[rstest]
#[case::a_pod_that_ended(json!({
    "phase": "Failed", "podIP": "10.0.0.1", "startTime": "2026-01-01T00:00:00Z",
    "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:03:00Z", "reason": "x"}],
    "containerStatuses": [terminated("main", 42, "01:00")], "initContainerStatuses": [terminated("side", 7, "02:00")],
}))]
#[case::a_pod_that_runs(json!({"phase": "Running", "containerStatuses": null, "conditions": [
    {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:03:00Z"}]}))]
#[case::a_pod_without_a_status(Value::Null)]
fn a_pod_that_is_skimmed_is_the_same_pod(#[case] status: Value) {
    let object = json!({
        "apiVersion": "v1", "kind": "Pod", "status": status,
        "metadata": {
            "name": "p", "namespace": "n", "uid": "u", "resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:00Z",
            "deletionTimestamp": "2026-01-01T00:05:30Z", "deletionGracePeriodSeconds": 30, "labels": {"b": "2", "a": "1"},
            "finalizers": ["batch.kubernetes.io/job-tracking"], "managedFields": [{"manager": "x", "fieldsV1": {"f:a": {}}}],
            "annotations": {"batch.kubernetes.io/job-completion-index": "3", "batch.kubernetes.io/job-index-failure-count": "2"},
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": true}],
        },
        "spec": {
            "nodeName": "node", "containers": [{"name": "main", "image": "i", "env": [{"name": "A", "value": "b"}]}],
            "initContainers": [{"name": "side", "restartPolicy": "Always"}, {"name": "init"}],
        },
    });
    let full = serde_json::from_value::<Pod>(object.clone()).unwrap();
    let skimmed = jobsworth_core::pod::skim(&object.to_string()).unwrap();
    assert_eq!(PodView::parse(&skimmed), PodView::parse(&full));
    assert_eq!(skimmed.metadata.namespace, full.metadata.namespace);
}
