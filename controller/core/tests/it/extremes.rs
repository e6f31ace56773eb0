//! Jobs and pods with the least and the greatest that their fields can hold: no decision panics, wraps or grows with a number.

use jiff::{SignedDuration, Timestamp};
use jobsworth_core::pod::{skim, skim_what_can_be_read};
use jobsworth_core::{
    Action, Decision, Failure, Gates, JobView, Limits, Memory, Outcome, PodView, Role, Snapshot, job, new_pod, orphans,
    reconcile, ttl,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// 32 bits of a count: nothing, the least, the greatest.
fn count() -> impl Strategy<Value = Value> {
    select(vec![Value::Null, json!(0), json!(1), json!(2), json!(i32::MAX - 1), json!(i32::MAX)])
}

fn seconds() -> impl Strategy<Value = Value> {
    select(vec![Value::Null, json!(0), json!(1), json!(i64::MAX - 1), json!(i64::MAX), json!(i64::MIN)])
}

fn time() -> impl Strategy<Value = Value> {
    let texts = [
        "2026-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "9999-12-30T22:00:00Z",
        "9999-12-31T23:59:59Z",
        "10000-01-01T13:59:59Z",
        "-001-12-31T10:00:00Z",
        "no time",
    ];
    select(texts.map(Value::from).into_iter().chain([Value::Null]).collect::<Vec<_>>())
}

fn now() -> impl Strategy<Value = Timestamp> {
    select(vec![Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::from_second(1_800_000_000).unwrap(), Timestamp::MAX])
}

fn indexes() -> impl Strategy<Value = Value> {
    let texts = [
        "",
        "0",
        "+1,02",
        "0-2147483646",
        "0-2147483645",
        "2147483646",
        "4294967295",
        "0-4294967295",
        "5-3",
        "x,1",
        "-1",
    ];
    select(texts.map(Value::from).into_iter().chain([Value::Null]).collect::<Vec<_>>())
}

fn flag() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.2)
}

fn spec() -> impl Strategy<Value = Value> {
    let counts = [count(), count(), count(), count(), count(), count()];
    let policies = (indexes(), count(), select(vec!["Ignore", "FailJob", "FailIndex", "Count", "Later"]));
    (counts, seconds(), count(), policies, any::<bool>(), flag(), flag()).prop_map(
        |(
            [completions, parallelism, limit, per_index, failed, _],
            deadline,
            ttl,
            policies,
            indexed,
            suspend,
            only_failed,
        )| {
            let (list, succeeded, action) = policies;
            json!({
                "completions": completions, "parallelism": parallelism, "backoffLimit": limit,
                "backoffLimitPerIndex": per_index, "maxFailedIndexes": failed, "activeDeadlineSeconds": deadline,
                "ttlSecondsAfterFinished": ttl, "suspend": suspend,
                "completionMode": if indexed { "Indexed" } else { "NonIndexed" },
                "podReplacementPolicy": only_failed.then_some("Failed"),
                "selector": {"matchLabels": {"job": "j"}},
                "successPolicy": {"rules": [{"succeededIndexes": list, "succeededCount": succeeded}]},
                "podFailurePolicy": if only_failed { json!({"rules": [{"action": action,
                    "onExitCodes": {"operator": "NotIn", "values": [i32::MAX]}}]}) } else { Value::Null },
                "template": {"metadata": {"creationTimestamp": "9999-12-31T23:59:59Z"}, "spec": {
                    "restartPolicy": if limit.is_null() { "OnFailure" } else { "Never" }, "containers": [{"name": "c"}],
                }},
            })
        },
    )
}

fn condition() -> impl Strategy<Value = Value> {
    let kinds = ["Suspended", "SuccessCriteriaMet", "FailureTarget", "Complete", "Failed", "Theirs"];
    (select(kinds.to_vec()), any::<bool>(), time()).prop_map(|(kind, holds, at)| {
        json!({"type": kind, "status": if holds { "True" } else { "False" }, "lastTransitionTime": at, "lastProbeTime": at})
    })
}

fn status() -> impl Strategy<Value = Value> {
    let counts = [count(), count(), count(), count(), count()];
    let conditions = prop::collection::vec(condition(), 0..2);
    (counts, indexes(), indexes(), time(), conditions, prop::collection::vec(0..4u8, 0..4)).prop_map(
        |([active, ready, terminating, succeeded, failed], completed, lost, start, conditions, listed)| {
            let listed: Vec<_> = listed.into_iter().map(|at| format!("p{at}")).collect();
            json!({
                "active": active, "ready": ready, "terminating": terminating, "succeeded": succeeded, "failed": failed,
                "completedIndexes": completed, "failedIndexes": lost, "startTime": start, "conditions": conditions,
                "uncountedTerminatedPods": {"failed": listed, "succeeded": listed},
            })
        },
    )
}

fn a_job() -> impl Strategy<Value = Value> {
    let revision = select(vec!["1", "18446744073709551615"]);
    (spec(), status(), time(), flag(), revision).prop_map(|(spec, status, at, deleting, revision)| {
        json!({
            "metadata": {
                "name": "j".repeat(63), "namespace": "n", "uid": "job", "resourceVersion": revision,
                "generation": i64::MAX, "creationTimestamp": at, "deletionTimestamp": if deleting { at } else { Value::Null },
            },
            "spec": spec, "status": status,
        })
    })
}

fn a_pod(at: usize) -> impl Strategy<Value = Value> {
    let index =
        select(vec!["0", "1", "+1", "2147483646", "2147483647", "4294967296", "-1", "99999999999999999999", "x", ""]);
    let phase = select(vec!["Pending", "Running", "Succeeded", "Failed", "Later"]);
    let times = [time(), time(), time()];
    (index.clone(), index, phase, times, seconds(), count(), flag(), any::<bool>()).prop_map(
        move |(index, failures, phase, [created, deleted, ended], grace, restarts, deleting, tracked)| {
            json!({
                "metadata": {
                    "name": format!("p{at}"), "namespace": "n", "uid": format!("p{at}"), "resourceVersion": "5",
                    "creationTimestamp": created, "deletionTimestamp": if deleting { deleted } else { Value::Null },
                    "deletionGracePeriodSeconds": grace, "labels": {"job": "j"},
                    "annotations": {
                        "batch.kubernetes.io/job-completion-index": index,
                        "batch.kubernetes.io/job-index-failure-count": failures,
                        "batch.kubernetes.io/job-index-ignored-failure-count": failures,
                    },
                    "finalizers": if tracked { json!(["batch.kubernetes.io/job-tracking"]) } else { Value::Null },
                    "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "job", "controller": true}],
                },
                "spec": {"initContainers": [{"name": "init", "restartPolicy": "Always"}]},
                "status": {
                    "phase": phase,
                    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ended}],
                    "containerStatuses": [{"name": "c", "restartCount": restarts,
                        "state": {"terminated": {"exitCode": i32::MIN, "finishedAt": ended}}}],
                    "initContainerStatuses": [{"name": "init", "restartCount": restarts,
                        "state": {"terminated": {"exitCode": 0, "finishedAt": ended}}}],
                },
            })
        },
    )
}

fn pods() -> impl Strategy<Value = Vec<Value>> {
    (a_pod(0), a_pod(1), a_pod(2), 0..4usize).prop_map(|(a, b, c, n)| vec![a, b, c].into_iter().take(n).collect())
}

/// What becomes of a call, by a number.
fn outcome(action: &Action, number: usize) -> Outcome {
    match (number % 5, action) {
        (0 | 1, Action::CreatePod(_)) => {
            Outcome::Created { uid: format!("new-{number}").into(), name: "new".into(), revision: u64::MAX }
        }
        (0 | 1, _) => Outcome::Done { revision: u64::MAX },
        (2, _) => Outcome::Gone,
        (3, _) => Outcome::Failed(Failure::Other(String::new())),
        _ => Outcome::Unknown,
    }
}

/// One whole sync; the decision at its end.
fn sync(seen: &Snapshot<'_>, memory: &Memory, times: [Timestamp; 2], luck: usize) -> Decision {
    let mut decision = reconcile(seen, memory, times[0], &Gates::V1_36, &Limits::UPSTREAM);
    let mut number = luck;
    loop {
        let mut outcomes = Vec::new();
        for batch in &decision.batches {
            assert!(batch.actions.len() <= 500 + 2 * seen.pods.len(), "{} calls in a batch", batch.actions.len());
            outcomes.push(
                batch
                    .actions
                    .iter()
                    .map(|action| {
                        number += luck;
                        outcome(action, number)
                    })
                    .collect(),
            );
            for action in &batch.actions {
                if let Action::WriteStatus(new) = action {
                    let written = serde_json::to_string(&new.status.to_api()).unwrap();
                    assert!(written.len() < 10_000, "{} bytes of status", written.len());
                }
            }
        }
        match decision.awaiting.take() {
            Some(awaiting) => decision = awaiting.after(&outcomes, times[1]),
            None => return decision,
        }
    }
}

fn view(object: &Value) -> PodView {
    let text = object.to_string();
    PodView::parse(&skim(&text).or_else(|_| skim_what_can_be_read(&text)).unwrap()).unwrap()
}

fn look_at_everything(job: &JobView, pods: &[PodView], at: Timestamp) {
    let _ = (ttl::due(job, at), ttl::is_skewed(job, at));
    for pod in pods {
        let _ = orphans::is_to_be_released(pod, Some(job), &Role::BuiltIn, &Gates::V1_36);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_number_and_no_time_in_an_object_makes_a_decision_panic(
        job in a_job(), pods in pods(), first in now(), second in now(), luck in 0..7usize,
    ) {
        let template = job["spec"]["template"].clone();
        let job = job::read(&job.to_string()).unwrap();
        let pods: Vec<PodView> = pods.iter().map(view).collect();
        let seen: Vec<&PodView> = pods.iter().collect();
        let snapshot = Snapshot { job: &job.view, pods: &seen, pods_revision: 0 };
        look_at_everything(&job.view, &pods, first);
        let after = sync(&snapshot, &Memory::default(), [first, second], luck);
        sync(&snapshot, &after.memory, [second, first], luck + 1);
        for action in reconcile(&snapshot, &Memory::default(), second, &Gates::V1_36, &Limits::UPSTREAM).batches.iter().flat_map(|b| &b.actions) {
            if let Action::CreatePod(wanted) = action {
                let _ = new_pod::pod(&job.object.metadata, &template, wanted, "xxxxx", &Gates::V1_36);
            }
        }
    }
}

/// The most that can be asked for is a sync like any other (PAR-007).
#[test]
fn all_pods_at_once_of_two_thousand_million_are_five_hundred_a_sync() {
    for mode in ["Indexed", "NonIndexed"] {
        let spec = json!({"completions": i32::MAX, "parallelism": i32::MAX, "completionMode": mode,
            "activeDeadlineSeconds": i64::MAX, "template": {"spec": {"containers": []}}});
        let object =
            json!({"metadata": {"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "1"}, "spec": spec});
        let job = job::read(&object.to_string()).unwrap();
        let seen = Snapshot { job: &job.view, pods: &[], pods_revision: 0 };
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let decision = reconcile(&seen, &Memory::default(), now, &Gates::V1_36, &Limits::UPSTREAM);
        assert_eq!(decision.batches[0].actions.len(), 500);
    }
}

/// Lists as long as a status may get, and pods in all the gaps (IDX-029).
#[test]
fn lists_of_400_kilobytes_are_read_once_and_cost_what_they_hold() {
    let text = (0..60_000u32).map(|at| (at * 2).to_string()).collect::<Vec<_>>().join(",");
    assert!(text.len() > 300_000);
    let object = json!({
        "metadata": {"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "1"},
        "spec": {"completions": i32::MAX, "parallelism": 500, "completionMode": "Indexed", "template": {"spec": {"containers": []}}},
        "status": {"completedIndexes": text},
    });
    let job = job::read(&object.to_string()).unwrap();
    assert_eq!(job.view.status.completed.len(), 60_000);
    assert_eq!(job.view.status.to_api().completed_indexes.as_deref(), Some(text.as_str()));
}

/// A deadline beyond all times is a deadline that never comes (DLN-001).
#[test]
fn waiting_for_ever_is_a_delay_like_any_other() {
    let mut job = crate::world::job("1 pods");
    let spec = std::sync::Arc::make_mut(&mut job.spec);
    spec.deadline_s = Some(i64::MAX);
    job.status = crate::world::status("started 20, 1 active", &job);
    let pods = crate::world::pods("0 runs", &job);
    let seen: Vec<&PodView> = pods.iter().collect();
    let snapshot = Snapshot { job: &job, pods: &seen, pods_revision: 0 };
    let decision = reconcile(&snapshot, &Memory::default(), crate::world::start(), &Gates::V1_36, &Limits::UPSTREAM);
    let jobsworth_core::Requeue::After(delay) = decision.requeue else { panic!("{:?}", decision.requeue) };
    assert!(delay > SignedDuration::from_secs(i64::MAX - 100));
}
