//! Which fields a Job has.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// What is written is kept, in the fields that there are.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "identity and discovery",
            "fields are kept as they are written, and what is no field is dropped",
            &[
                "VJ-005", "VJ-011", "VJ-012", "VJ-013", "VJ-014", "VJ-021", "VJ-023", "VJ-024", "VJ-025", "VJ-026",
                "VJ-027", "VJ-030",
            ],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [kept(), dropped()].concat()
}

fn kept() -> Vec<Row> {
    let policy = json!({"event": "PodFailed", "action": "RestartJob", "timeout": "5m0s"});
    let events = json!({"events": ["PodFailed", "PodEvicted"], "action": "TerminateJob"});
    let depends = json!({"name": ["a"], "iteration": "any"});
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    vec![
        volcano_row("VJ-011 a least number of pods is kept", gang(3).min_available(2)).has("/spec/minAvailable", 2),
        volcano_row(
            "VJ-012 a claim is kept",
            gang(1).spec("volumes", json!([{"mountPath": "/d", "volumeClaim": claim}])),
        )
        .has("/spec/volumes/0/volumeClaim/resources/requests/storage", "1Gi"),
        volcano_row("VJ-014 a policy is kept", gang(1).policy(policy.clone())).has("/spec/policies/0", policy.clone()),
        volcano_row("VJ-014 a policy of several events is kept", gang(1).policy(events.clone()))
            .has("/spec/policies/0", events),
        volcano_row("VJ-014 a policy of an exit code is kept", gang(1).policy(on_exit(3, "AbortJob")))
            .has("/spec/policies/0", on_exit(3, "AbortJob")),
        volcano_row("VJ-021 an estimate is kept", gang(1).spec("runningEstimate", "1h30m0s"))
            .has("/spec/runningEstimate", "1h30m0s"),
        volcano_row("VJ-023 a task's name is kept", tasks(&[("a-1", 1)])).has("/spec/tasks/0/name", "a-1"),
        volcano_row("VJ-024 a task may have no pods", tasks(&[("a", 0), ("b", 1)])).has("/spec/tasks/0/replicas", 0),
        volcano_row("VJ-025 a task's least number of pods is kept", gang(3).task(0, "minAvailable", 2))
            .has("/spec/tasks/0/minAvailable", 2),
        volcano_row("VJ-026 labels of pods are kept", gang(1).pod_metadata(0, "labels", json!({"app": "x"})))
            .has("/spec/tasks/0/template/metadata/labels/app", "x"),
        volcano_row("VJ-027 a policy of a task is kept", gang(1).task_policy(0, policy.clone()))
            .has("/spec/tasks/0/policies/0", policy),
        volcano_row(
            "VJ-030 what a task depends on is kept",
            tasks(&[("a", 1), ("b", 1)]).task(1, "dependsOn", depends.clone()),
        )
        .has("/spec/tasks/1/dependsOn", depends),
    ]
}

fn dropped() -> Vec<Row> {
    let both = json!([{"mountPath": "/d", "volumeClaimName": "c", "claim": {"spec": {}}}]);
    vec![
        volcano_row(
            "VJ-005 tasks under another name are no tasks",
            gang(1).without("tasks").spec("taskSpecs", json!([task("w", 1)])),
        )
        .dropping_unknown_fields()
        .refused_by_webhook("No task specified in job spec"),
        volcano_row("VJ-005 a client that minds is told of a field that is none", gang(1).spec("taskSpecs", json!([])))
            .refused_as(|answer| answer.is_refused_as(400, "unknown field \"spec.taskSpecs\"")),
        volcano_row("VJ-013 the list is called tasks", gang(1).spec("taskSpecs", json!([])))
            .dropping_unknown_fields()
            .has("/spec/taskSpecs", ())
            .and("/spec/tasks/0/name", "w"),
        volcano_row("VJ-012 a claim under another name is dropped", gang(1).spec("volumes", both))
            .dropping_unknown_fields()
            .has("/spec/volumes/0/claim", ())
            .and("/spec/volumes/0/volumeClaimName", "c"),
        volcano_row(
            "VJ-026 a pod's priority under another name is dropped",
            gang(1).pod_spec(0, "priorityClass", "high"),
        )
        .dropping_unknown_fields()
        .has("/spec/tasks/0/template/spec/priorityClass", ()),
    ]
}
