//! Which fields of a Job may change.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// A Job can be scaled, and nothing else about it changes.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "updates",
            "sizes and priority may change, and everything else stays",
            &["VJ-095", "VJ-096", "VJ-097", "VJ-098", "VJ-099", "VJ-326", "VJ-332"],
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
    [free(), fixed(), numbers(), claims()].concat()
}

/// The tasks of `gang(2)` as they are stored, with one field of the only one changed.
fn stored(field: &str, value: impl Into<serde_json::Value>) -> serde_json::Value {
    let mut stored = task("w", 2);
    stored["maxRetry"] = 3.into();
    stored["minAvailable"] = 2.into();
    stored[field] = value.into();
    json!({"spec": {"tasks": [stored]}})
}

fn free() -> Vec<Row> {
    vec![
        volcano_row("VJ-095 a Job may need fewer pods", gang(2))
            .then(json!({"spec": {"minAvailable": 1}}))
            .has("/spec/minAvailable", 1),
        volcano_row("VJ-095 a task may have more pods", gang(2))
            .then(stored("replicas", 5))
            .has("/spec/tasks/0/replicas", 5),
        volcano_row("VJ-095 a task may need fewer pods", gang(2))
            .then(stored("minAvailable", 1))
            .has("/spec/tasks/0/minAvailable", 1),
        volcano_row("VJ-095 a priority may come", gang(2))
            .then(json!({"spec": {"priorityClassName": "high"}}))
            .has("/spec/priorityClassName", "high"),
        volcano_row("VJ-099 labels and annotations may change", gang(2))
            .then(json!({"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}))
            .has("/metadata/annotations/c", "d"),
    ]
}

const FIXED: &str = "job updates may not change fields other than";

fn fixed() -> Vec<Row> {
    let to = |says: &str, patch: serde_json::Value| volcano_row(says, gang(2)).then(patch).refused_by_webhook(FIXED);
    let of_job = |says: &str, field: &str, value: serde_json::Value| to(says, json!({"spec": {field: value}}));
    let template = task("w", 2)["template"].clone();
    let mut other = template.clone();
    other["spec"]["containers"][0]["image"] = "jobsworth.invalid/other".into();
    vec![
        of_job("VJ-095 the scheduler stays", "schedulerName", "other".into()),
        of_job("VJ-095 the queue stays", "queue", "other".into()),
        of_job("VJ-095 the number of runs stays", "maxRetry", 7.into()),
        of_job("VJ-095 the time to live stays", "ttlSecondsAfterFinished", 5.into()),
        of_job("VJ-095 the least number of successes stays", "minSuccess", 1.into()),
        of_job("VJ-095 plugins stay", "plugins", json!({"env": []})),
        of_job("VJ-095 policies stay", "policies", json!([on("PodFailed", "AbortJob")])),
        of_job("VJ-095 the estimate stays", "runningEstimate", "5m0s".into()),
        of_job("VJ-095 the topology stays", "networkTopology", json!({"mode": "soft"})),
        of_job("VJ-095 volumes stay", "volumes", json!([{"mountPath": "/d", "volumeClaimName": "c"}])),
        to("VJ-095 a task's name stays", stored("name", "v")),
        to("VJ-095 a task's pods stay as they are", stored("template", other)),
        to("VJ-095 a task's policies stay", stored("policies", json!([on("PodFailed", "AbortJob")]))),
        to("VJ-095 a task's restarts stay", stored("maxRetry", 4)),
        to("VJ-095 a task's topology stays", stored("topologyPolicy", "none")),
        volcano_row("VJ-096 no task comes", gang(2))
            .then(json!({"spec": {"tasks": [task("w", 2), task("v", 1)]}}))
            .refused_by_webhook("job updates may not add or remove tasks"),
        volcano_row("VJ-096 no task goes", tasks(&[("w", 2), ("v", 1)]))
            .then(json!({"spec": {"tasks": [task("w", 2)], "minAvailable": 2}}))
            .refused_by_webhook("job updates may not add or remove tasks"),
    ]
}

fn numbers() -> Vec<Row> {
    let partitions = json!({"totalPartitions": 1, "partitionSize": 2});
    let mut more = stored("replicas", 4);
    more["spec"]["tasks"][0]["partitionPolicy"] = partitions.clone();
    vec![
        volcano_row("VJ-097 a task does not come to need more pods than it has", gang(2))
            .then(stored("minAvailable", 3))
            .refused_by_webhook("'minAvailable' must be <= 'replicas' in task: w"),
        volcano_row("VJ-097 a Job does not come to need more pods than it has", gang(2))
            .then(json!({"spec": {"minAvailable": 3}}))
            .refused_by_webhook("job 'minAvailable' must not be greater than total replicas"),
        volcano_row("VJ-326 a task with partitions keeps its size", gang(2).task(0, "partitionPolicy", partitions))
            .then(more)
            .refused_by_webhook("'Replicas' are not equal to TotalPartitions*PartitionSize in task: w"),
    ]
}

fn claims() -> Vec<Row> {
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let volume = |name: Option<&str>| {
        let mut volume = json!({"mountPath": "/d", "volumeClaim": claim});
        if let Some(name) = name {
            volume["volumeClaimName"] = name.into();
        }
        json!([volume])
    };
    let existing = json!([{"mountPath": "/d", "volumeClaimName": "c"}]);
    vec![
        volcano_row("VJ-098 a claim that a Job brings may get a name", gang(1).spec("volumes", volume(None)))
            .then(json!({"spec": {"volumes": volume(Some("named"))}}))
            .has("/spec/volumes/0/volumeClaimName", "named"),
        volcano_row("VJ-332 and then another one", gang(1).spec("volumes", volume(None)))
            .then(json!({"spec": {"volumes": volume(Some("named"))}}))
            .then(json!({"spec": {"volumes": volume(Some("renamed"))}}))
            .has("/spec/volumes/0/volumeClaimName", "renamed"),
        volcano_row("VJ-095 a claim of somebody else stays", gang(1).spec("volumes", existing))
            .then(json!({"spec": {"volumes": [{"mountPath": "/d", "volumeClaimName": "d"}]}}))
            .refused_by_webhook(FIXED),
    ]
}
