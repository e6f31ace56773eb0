//! What a group says of topology and partitions.

use crate::volcano_words::*;

/// Topology and partitions of a Job are told to the scheduler.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "spec fields",
            "topology and partitions are told to the scheduler",
            &["VJ-022", "VJ-031", "VJ-257", "VJ-261"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        let policy = json!({"totalPartitions": 3, "partitionSize": 2, "minPartitions": 2, "networkTopology": {"mode": "soft", "highestTierAllowed": 1}});
        scene
            .submit(
                gang(6)
                    .task(0, "partitionPolicy", policy)
                    .spec("networkTopology", json!({"mode": "hard", "highestTierAllowed": 2})),
            )
            .await?;
        scene.wait(group().exists()).await
    }

    fn expects(&self) -> Expectations {
        let one = pod_groups();
        Expectations::from([
            (
                "the Job's topology",
                eventually(
                    one.with("/spec/networkTopology/mode", "hard")
                        .with("/spec/networkTopology/highestTierAllowed", 2)
                        .count(1),
                ),
            ),
            ("a group of groups for the task", eventually(one.with("/spec/subGroupPolicy/0/name", "w").count(1))),
            ("of the size of a partition", eventually(one.with("/spec/subGroupPolicy/0/subGroupSize", 2).count(1))),
            ("of which as many as must be", eventually(one.with("/spec/subGroupPolicy/0/minSubGroups", 2).count(1))),
            (
                "told apart by the partition",
                eventually(one.with("/spec/subGroupPolicy/0/matchLabelKeys/0", "volcano.sh/partition-id").count(1)),
            ),
            (
                "with their own topology",
                eventually(one.with("/spec/subGroupPolicy/0/networkTopology/mode", "soft").count(1)),
            ),
            ("the task needs its least number of partitions", eventually(group().min_task_member("w", 4))),
        ])
    }
}
