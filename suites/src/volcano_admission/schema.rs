//! What the schema refuses before any webhook is asked.

use crate::{
    table::{
        self,
        Fault::{self, Invalid, NotSupported, Required, TooLong},
        Row, volcano_row,
    },
    volcano_words::*,
};

/// What the schema can tell is refused with the path of the field.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "numbers, names and words that cannot be right are refused with their path",
            &[
                "VJ-010", "VJ-016", "VJ-017", "VJ-018", "VJ-019", "VJ-020", "VJ-022", "VJ-028", "VJ-029", "VJ-031",
                "VJ-032", "VJ-050", "VJ-051", "VJ-052", "VJ-053", "VJ-054",
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
    [numbers(), names(), words(), volumes_and_partitions()].concat()
}

fn refused(says: &str, job: Gang, fault: Fault, field: &'static str) -> Row {
    volcano_row(says, job).refused(fault, field)
}

fn numbers() -> Vec<Row> {
    let task = |field: &str| gang(1).task(0, field, -1);
    // Nothing is left to be made up from the number that is wrong.
    let of_one = |field: &str| gang(1).min_available(1).task(0, "minAvailable", 1).task(0, field, -1);
    let number = |field: &str| gang(1).spec(field, -1);
    vec![
        refused("VJ-050 no Job needs fewer than 0 pods", number("minAvailable"), Invalid, "spec.minAvailable"),
        refused("VJ-050 no Job has fewer than 0 runs", number("maxRetry"), Invalid, "spec.maxRetry"),
        refused(
            "VJ-050 no Job lives fewer than 0 seconds after its end",
            number("ttlSecondsAfterFinished"),
            Invalid,
            "spec.ttlSecondsAfterFinished",
        ),
        refused("VJ-050 no task has fewer than 0 pods", of_one("replicas"), Invalid, "spec.tasks[0].replicas"),
        refused(
            "VJ-050 no task needs fewer than 0 pods",
            of_one("minAvailable"),
            Invalid,
            "spec.tasks[0].minAvailable",
        ),
        refused("VJ-029 no task has fewer than 0 restarts", task("maxRetry"), Invalid, "spec.tasks[0].maxRetry"),
        refused(
            "VJ-053 a least number of successes is 1 or more",
            gang(1).spec("minSuccess", 0),
            Invalid,
            "spec.minSuccess",
        ),
        volcano_row("VJ-020 one success may be enough", gang(2).spec("minSuccess", 1)).has("/spec/minSuccess", 1),
        volcano_row("VJ-017 runs are a number of 1 and more", gang(1).max_retry(5)).has("/spec/maxRetry", 5),
        volcano_row("VJ-018 a time to live may be 0", gang(1).spec("ttlSecondsAfterFinished", 0))
            .has("/spec/ttlSecondsAfterFinished", 0),
        refused("VJ-051 an empty list of tasks is refused", gang(1).spec("tasks", json!([])), Invalid, "spec.tasks"),
        volcano_row("VJ-051 without a list of tasks it is the webhook that refuses", gang(1).without("tasks"))
            .refused_by_webhook("No task specified in job spec"),
    ]
}

fn names() -> Vec<Row> {
    let long = |letters: usize| "a".repeat(letters);
    let name = |name: &str| gang(1).task(0, "name", name);
    vec![
        refused("VJ-052 a task's name has no capitals", name("Worker"), Invalid, "spec.tasks[0].name"),
        refused("VJ-052 a task's name has no dots", name("a.b"), Invalid, "spec.tasks[0].name"),
        refused("VJ-052 a task's name ends with a letter or a digit", name("a-"), Invalid, "spec.tasks[0].name"),
        refused("VJ-052 a task's name has at most 63 characters", name(&long(64)), TooLong, "spec.tasks[0].name"),
        refused(
            "VJ-010 a scheduler's name has at most 63 characters",
            gang(1).spec("schedulerName", long(64)),
            TooLong,
            "spec.schedulerName",
        ),
        refused("VJ-016 a queue's name is that of an object", gang(1).spec("queue", "A_b"), Invalid, "spec.queue"),
        refused(
            "VJ-016 a queue's name has at most 253 characters",
            gang(1).spec("queue", long(254)),
            TooLong,
            "spec.queue",
        ),
        refused(
            "VJ-019 a priority class's name is that of an object",
            gang(1).spec("priorityClassName", "A_b"),
            Invalid,
            "spec.priorityClassName",
        ),
        volcano_row(
            "VJ-019 a priority class that is not there may be named",
            gang(1).spec("priorityClassName", "none"),
        )
        .has("/spec/priorityClassName", "none"),
    ]
}

fn words() -> Vec<Row> {
    let topology = |topology: serde_json::Value| gang(1).spec("networkTopology", topology);
    vec![
        refused(
            "VJ-032 an event that nobody knows is refused",
            gang(1).policy(on("Foo", "AbortJob")),
            NotSupported,
            "spec.policies[0].event",
        ),
        refused(
            "VJ-032 among several events too",
            gang(1).policy(json!({"events": ["PodFailed", "Foo"], "action": "AbortJob"})),
            NotSupported,
            "spec.policies[0].events[1]",
        ),
        refused(
            "VJ-053 a mode of topology that nobody knows is refused",
            topology(json!({"mode": "firm"})),
            NotSupported,
            "spec.networkTopology.mode",
        ),
        volcano_row("VJ-022 topology is hard unless it says otherwise", topology(json!({"highestTierAllowed": 2})))
            .has("/spec/networkTopology/mode", "hard"),
        refused(
            "VJ-022 a tier is 0 or more",
            topology(json!({"highestTierAllowed": -1})),
            Invalid,
            "spec.networkTopology.highestTierAllowed",
        ),
        refused(
            "VJ-053 a policy of topology that nobody knows is refused",
            gang(1).task(0, "topologyPolicy", "best"),
            NotSupported,
            "spec.tasks[0].topologyPolicy",
        ),
        volcano_row("VJ-028 a policy of topology is kept", gang(1).task(0, "topologyPolicy", "none"))
            .has("/spec/tasks/0/topologyPolicy", "none"),
    ]
}

fn volumes_and_partitions() -> Vec<Row> {
    let volume = |path: &str| gang(1).spec("volumes", json!([{"mountPath": path, "volumeClaimName": "c"}]));
    let partitions = |policy: serde_json::Value| gang(2).task(0, "partitionPolicy", policy);
    vec![
        refused("VJ-053 a volume is mounted somewhere", volume(""), Invalid, "spec.volumes[0].mountPath"),
        refused("VJ-053 a path to mount has no colon", volume("/a:b"), Invalid, "spec.volumes[0].mountPath"),
        refused(
            "VJ-054 partitions have a number",
            partitions(json!({"partitionSize": 1})),
            Required,
            "spec.tasks[0].partitionPolicy.totalPartitions",
        ),
        refused(
            "VJ-054 partitions have a size",
            partitions(json!({"totalPartitions": 1})),
            Required,
            "spec.tasks[0].partitionPolicy.partitionSize",
        ),
        refused(
            "VJ-031 a partition has a pod at least",
            partitions(json!({"totalPartitions": 1, "partitionSize": 0})),
            Invalid,
            "spec.tasks[0].partitionPolicy.partitionSize",
        ),
        volcano_row(
            "VJ-031 of partitions none must be there unless it says so",
            partitions(json!({"totalPartitions": 2, "partitionSize": 1})),
        )
        .has("/spec/tasks/0/partitionPolicy/minPartitions", 0),
    ]
}
