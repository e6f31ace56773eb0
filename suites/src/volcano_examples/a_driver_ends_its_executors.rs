//! Spark: a driver and its executors.

use super::objects;
use crate::volcano_words::*;

/// The driver decides: its failure begins the Job anew, its success ends it. Executors decide nothing.
pub struct This;

const EXAMPLE: &str = include_str!("../../../controller/volcano/examples/spark.yaml");
const JOB: &str = "spark";
const CLASSES: Resource = Resource::new("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass");

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "from changes to events",
            "policies of one task are for events of its own pods",
            &["VJ-122", "VJ-123", "VJ-139", "VJ-246"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // Classes are in no namespace: this one has the name of the case's.
        let class_name = format!("{}-driver", scene.namespace());
        for mut object in objects(EXAMPLE) {
            if object["kind"] == "PriorityClass" {
                object["metadata"]["name"] = class_name.as_str().into();
                scene.must(Write::create_of(&CLASSES, object).of_the_cluster()).await?;
            } else {
                object["spec"]["tasks"][0]["template"]["spec"]["priorityClassName"] = class_name.as_str().into();
                scene.submit(object).await?;
            }
        }
        scene.wait(job_named(JOB).is("Running").and(pods_of(JOB).running(6))).await?;
        scene.pod_named("spark-executor-2").fails(1).await?;
        scene.wait(job_named(JOB).counts("executor", "Failed", 1)).await?;
        scene.mark("the driver fails").await?;
        scene.pod_named("spark-driver-0").fails(1).await?;
        let again = job_named(JOB).is("Running").and(job_named(JOB).retry_count(1));
        scene.wait(again.and(pods_of(JOB).that_are(of_version(1)).running(6))).await?;
        scene.pod_named("spark-driver-0").succeeds().await?;
        scene.wait(job_named(JOB).is("Completed").and(pods_of(JOB).count(1))).await
    }

    fn expects(&self) -> Expectations {
        let completed = job_named(JOB).is("Completed");
        let important =
            word("of the driver's priority", |pod| pod.spec.as_ref().and_then(|spec| spec.priority) == Some(1000));
        Expectations::from([
            ("three pods are enough to begin", eventually(group_of(JOB).min_member(3))),
            (
                "the driver is more important",
                eventually(pods_of(JOB).that_are(of_task("driver")).that_are(important).count(1)),
            ),
            (
                "a failed executor begins nothing anew",
                before(&passed("the driver fails"), never(job_named(JOB).retry_count_at_least(1))),
            ),
            ("a failed driver does", eventually(job_named(JOB).retry_count(1))),
            ("once", never(job_named(JOB).retry_count_at_least(2))),
            ("a driver that succeeds ends it", eventually(completed.clone())),
            (
                "with executors that run",
                after(&completed, eventually(pods_of(JOB).that_are(of_task("executor")).count(0))),
            ),
        ])
    }
}
