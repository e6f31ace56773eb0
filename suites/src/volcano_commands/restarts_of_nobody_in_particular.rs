//! Orders to restart a task, a pod, a partition, without saying which.

use crate::volcano_words::*;

/// An order to restart something, without saying what, stops no pod.
pub struct This;

/// Names of Jobs, and the order that each is given.
const ORDERS: [(&str, &str); 3] = [("task", "RestartTask"), ("pod", "RestartPod"), ("partition", "RestartPartition")];

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "RestartTask and RestartPod by order kill nothing and count a retry, RestartPartition does nothing",
            &["VJ-156", "VJ-306"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, action) in ORDERS {
            scene.submit(gang(2).named(name).max_retry(9)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(2))).await?;
            scene.order(name, action).await?;
        }
        scene
            .wait(job_named("task").retry_count(1).and(job_named("pod").retry_count(1)).and(commands().count(0)))
            .await?;
        scene.wait(job_named("task").is("Running").and(job_named("pod").is("Running"))).await?;
        scene.linger(Duration::from_millis(500), "what an order must not do needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let keeps = |name: &'static str| after(&pods_of(name).running(2), always(pods_of(name).running(2)));
        Expectations::from([
            ("RestartTask stops no pod", keeps("task")),
            ("but counts", eventually(job_named("task").retry_count(1))),
            ("RestartPod stops no pod", keeps("pod")),
            ("but counts, too", eventually(job_named("pod").retry_count(1))),
            ("RestartPartition stops no pod", keeps("partition")),
            ("and does not count", never(job_named("partition").retry_count_at_least(1))),
            (
                "both run again",
                after(
                    &job_named("task").retry_count(1).and(job_named("pod").retry_count(1)),
                    eventually(job_named("task").is("Running").and(job_named("pod").is("Running"))),
                ),
            ),
            (
                "no version is new",
                never(job_named("task").version_at_least(1).or(job_named("pod").version_at_least(1))),
            ),
        ])
    }
}
