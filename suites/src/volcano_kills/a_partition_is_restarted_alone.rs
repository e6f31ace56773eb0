//! A Job of which one partition is restarted.

use crate::volcano_words::*;

/// A restart of a partition leaves the other partitions alone.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "RestartPartition deletes the pods of that partition only",
            &["VJ-031", "VJ-154", "VJ-234"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let partitions = json!({"totalPartitions": 2, "partitionSize": 2});
        scene
            .submit(
                gang(4).max_retry(9).task(0, "partitionPolicy", partitions).policy(on("PodFailed", "RestartPartition")),
            )
            .await?;
        scene.wait(job().is("Running").and(pods().running(4))).await?;
        scene.mark("about to fail").await?;
        scene.pod_named("job-w-2").fails(1).await?;
        scene.wait(job().retry_count(1).and(job().is("Running")).and(pods().running(4))).await
    }

    fn expects(&self) -> Expectations {
        let failing = passed("about to fail");
        let in_partition = |id: &'static str| {
            pods().that_are(word(format!("in partition {id}"), move |pod| {
                pod.metadata
                    .labels
                    .as_ref()
                    .and_then(|all| all.get("volcano.sh/partition-id"))
                    .is_some_and(|found| found == id)
            }))
        };
        Expectations::from([
            ("two pods are in the first partition", eventually(in_partition("0").count(2))),
            ("two are in the second", eventually(in_partition("1").count(2))),
            (
                "both of the second come anew",
                after(&failing, eventually(in_partition("1").that_are(of_attempt(1)).running(2))),
            ),
            ("both of the first run on", after(&failing, always(in_partition("0").running(2)))),
            ("one retry is counted", never(job().retry_count_at_least(2))),
        ])
    }
}
