//! What the mutating webhook fills in.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// What a Job leaves out is filled in once, and what it says is kept.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "defaulting",
            "what is left out of a Job is filled in when it is created",
            &["VJ-033", "VJ-034", "VJ-035", "VJ-036", "VJ-037", "VJ-038", "VJ-039", "VJ-040", "VJ-042", "VJ-101"],
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
    [of_tasks(), of_the_job(), changes()].concat()
}

fn of_tasks() -> Vec<Row> {
    let partitioned = |min: u32| {
        gang(6).task(0, "partitionPolicy", json!({"totalPartitions": 3, "partitionSize": 2, "minPartitions": min}))
    };
    let min = "/spec/tasks/0/minAvailable";
    let dns = "/spec/tasks/0/template/spec/dnsPolicy";
    vec![
        volcano_row("VJ-033 a task without a name is called after its place", nameless())
            .has("/spec/tasks/0/name", "default0")
            .and("/spec/tasks/1/name", "default1"),
        volcano_row("VJ-033 a task with a name keeps it", gang(1)).has("/spec/tasks/0/name", "w"),
        volcano_row("VJ-034 a task needs all of its pods unless it says otherwise", gang(3)).has(min, 3),
        volcano_row("VJ-034 a task that says how many pods it needs is believed", gang(3).task(0, "minAvailable", 1))
            .has(min, 1),
        volcano_row("VJ-034 a task that says 0 is believed", gang(3).task(0, "minAvailable", 0)).has(min, 0),
        volcano_row("VJ-034 a task with partitions needs its least number of them", partitioned(2)).has(min, 4),
        volcano_row("VJ-034 a task with partitions of which none must be needs all of its pods", partitioned(0))
            .has(min, 6),
        volcano_row("VJ-035 a task's containers may be restarted three times", gang(1))
            .has("/spec/tasks/0/maxRetry", 3),
        volcano_row("VJ-035 0 restarts of a task mean three", gang(1).task(0, "maxRetry", 0))
            .has("/spec/tasks/0/maxRetry", 3),
        volcano_row("VJ-035 a number of restarts is kept", gang(1).task(0, "maxRetry", 7))
            .has("/spec/tasks/0/maxRetry", 7),
        volcano_row(
            "VJ-036 pods in the network of their host use the cluster's names",
            gang(1).pod_spec(0, "hostNetwork", true),
        )
        .has(dns, "ClusterFirstWithHostNet"),
        volcano_row("VJ-036 pods in a network of their own are left alone", gang(1)).has(dns, ()),
        volcano_row(
            "VJ-036 a policy for names that is given is kept",
            gang(1).pod_spec(0, "hostNetwork", true).pod_spec(0, "dnsPolicy", "Default"),
        )
        .has(dns, "Default"),
    ]
}

fn nameless() -> Gang {
    tasks(&[("a", 1), ("b", 1)]).task(0, "name", ()).task(1, "name", ())
}

fn of_the_job() -> Vec<Row> {
    let min = "/spec/minAvailable";
    let two = || tasks(&[("a", 3), ("b", 2)]);
    vec![
        volcano_row("VJ-037 a Job needs what its tasks need", two().task(0, "minAvailable", 1)).has(min, 3),
        volcano_row("VJ-037 a Job whose tasks say nothing needs all pods", two()).has(min, 5),
        volcano_row("VJ-037 0 means what the tasks need", two().min_available(0)).has(min, 5),
        volcano_row("VJ-037 a Job that says how many pods it needs is believed", two().min_available(4)).has(min, 4),
        volcano_row("VJ-038 a Job without a queue goes to the default one", gang(1)).has("/spec/queue", "default"),
        volcano_row("VJ-038 an empty name of a queue means the default one", gang(1).spec("queue", ""))
            .has("/spec/queue", "default"),
        volcano_row("VJ-039 a Job without a scheduler has that of the webhook", gang(1))
            .has("/spec/schedulerName", "volcano"),
        volcano_row("VJ-039 a scheduler that is given is kept", gang(1).spec("schedulerName", "mine"))
            .has("/spec/schedulerName", "mine"),
        volcano_row("VJ-040 a Job has three runs", gang(1)).has("/spec/maxRetry", 3),
        volcano_row("VJ-040 0 runs mean three", gang(1).max_retry(0)).has("/spec/maxRetry", 3),
        volcano_row("VJ-040 one run is kept", gang(1).max_retry(1)).has("/spec/maxRetry", 1),
    ]
}

/// Nothing is filled in at a change.
fn changes() -> Vec<Row> {
    let nothing = json!([task("w", 0)]);
    let mut zero = nothing.clone();
    zero[0]["minAvailable"] = 0.into();
    zero[0]["maxRetry"] = 3.into();
    vec![
        volcano_row("VJ-042 a minimum of 0 that is set later stays 0", gang(2))
            .then(json!({"spec": {"minAvailable": 0}}))
            .has("/spec/minAvailable", 0),
        volcano_row("VJ-101 a Job may be scaled to nothing", gang(2))
            .then(json!({"spec": {"minAvailable": 0, "tasks": zero}}))
            .has("/spec/tasks/0/replicas", 0)
            .and("/spec/tasks/0/minAvailable", 0),
    ]
}
