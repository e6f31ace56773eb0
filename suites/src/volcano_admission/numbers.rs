//! Numbers of tasks and Jobs that do not fit together, and names that are too long for pods.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// Jobs whose numbers contradict each other are refused, and strange ones that do not are taken.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "numbers must fit together, and names must do for pods",
            &["VJ-060", "VJ-061", "VJ-062", "VJ-084", "VJ-087", "VJ-088", "VJ-089", "VJ-330", "VJ-331"],
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
    [counts(), names(), topology(), taken()].concat()
}

fn counts() -> Vec<Row> {
    let partitioned = |replicas: u32, min: u32| {
        gang(replicas).task(
            0,
            "partitionPolicy",
            json!({"totalPartitions": 2, "partitionSize": 2, "minPartitions": min}),
        )
    };
    vec![
        volcano_row("VJ-061 a Job cannot need more pods than it has", tasks(&[("a", 1), ("b", 1)]).min_available(3))
            .refused_by_webhook("job 'minAvailable' should not be greater than total replicas in tasks;"),
        volcano_row("VJ-062 a task cannot need more pods than it has", gang(1).task(0, "minAvailable", 2))
            .named("greedy")
            .refused_by_webhook("'minAvailable' is greater than 'replicas' in task: w, job: greedy;"),
        volcano_row("VJ-087 pods fill all partitions", partitioned(3, 0))
            .refused_by_webhook("'Replicas' are not equal to TotalPartitions*PartitionSize"),
        volcano_row("VJ-087 pods that fill all partitions are taken", partitioned(4, 1)).has("/spec/minAvailable", 2),
        volcano_row("VJ-087 a task needs whole partitions", partitioned(4, 1).task(0, "minAvailable", 3))
            .refused_by_webhook("'MinAvailable' is not equal to MinPartitions*PartitionSize"),
    ]
}

fn names() -> Vec<Row> {
    let twice = "duplicated task name a;";
    let long = |letters: usize| "a".repeat(letters);
    vec![
        volcano_row("VJ-060 two tasks have two names", tasks(&[("a", 1), ("a", 1)])).refused_by_webhook(twice),
        volcano_row(
            "VJ-331 a name that is filled in may be there already",
            tasks(&[("default1", 1), ("b", 1)]).task(1, "name", ()),
        )
        .refused_by_webhook("duplicated task name default1;"),
        volcano_row("VJ-084 a pod's name has at most 63 characters", gang(1))
            .named(&long(60))
            .refused_by_webhook("create pod with name"),
        volcano_row("VJ-084 a name of 63 characters is none too long", gang(1)).named(&long(59)).accepted(),
        volcano_row("VJ-084 a Job's name has at most 63 characters", gang(1))
            .named(&long(64))
            .refused_by_webhook("create job with name"),
    ]
}

fn topology() -> Vec<Row> {
    let both = json!({"highestTierAllowed": 1, "highestTierName": "rack"});
    let says = "must not specify 'highestTierAllowed' and 'highestTierName'";
    let numa = |cpu: &str| gang(1).task(0, "topologyPolicy", "restricted").cpu(0, cpu);
    let limit = json!({"limits": {"cpu": "2"}});
    let partitions = json!({"totalPartitions": 1, "partitionSize": 1, "networkTopology": both});
    vec![
        volcano_row("VJ-088 a Job names a tier by number or by name", gang(1).spec("networkTopology", both))
            .refused_by_webhook(says),
        volcano_row("VJ-088 so do partitions", gang(1).task(0, "partitionPolicy", partitions)).refused_by_webhook(says),
        volcano_row("VJ-089 pods that are placed by topology ask for whole CPUs", numa("1500m"))
            .refused_by_webhook("the cpu request isn't"),
        volcano_row(
            "VJ-089 pods that are placed by topology ask for CPU",
            gang(1).task(0, "topologyPolicy", "best-effort"),
        )
        .refused_by_webhook("the cpu request isn't"),
        volcano_row("VJ-089 2 CPUs are whole", numa("2")).accepted(),
        volcano_row("VJ-089 2,000 thousandths are whole", numa("2000m")).accepted(),
        volcano_row(
            "VJ-089 a limit stands in for a request",
            gang(1).task(0, "topologyPolicy", "restricted").container(0, "resources", limit),
        )
        .accepted(),
    ]
}

fn taken() -> Vec<Row> {
    vec![
        volcano_row("VJ-330 more successes than pods may be asked for", gang(1).spec("minSuccess", 5)).accepted(),
        volcano_row("VJ-330 a task may need more than its Job", gang(3).task(0, "minAvailable", 3).min_available(1))
            .accepted(),
        volcano_row("VJ-330 pods may always be restarted", gang(1).pod_spec(0, "restartPolicy", "Always")).accepted(),
        volcano_row("VJ-330 a time may be negative", gang(1).policy(on_after("PodFailed", "-5s", "AbortJob")))
            .accepted(),
        volcano_row(
            "VJ-330 any event may stand beside an exit code",
            gang(1).policy(on("*", "RestartJob")).policy(on_exit(3, "AbortJob")),
        )
        .accepted(),
    ]
}
