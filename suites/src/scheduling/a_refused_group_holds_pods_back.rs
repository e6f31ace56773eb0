//! A group that the API server refuses although its Workload is there.

use crate::{quota, words::*};

const GROUPS: &str = "count/podgroups.scheduling.k8s.io";

/// Half of what a gang needs is nothing: while the `PodGroup` is refused there are no pods, and none without it afterwards.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Failure recovery",
                says: "a failure to create the PodGroup blocks the creation of pods and is retried, the Workload being there",
            },
            requirements: &["SCH-012"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let group = json!({"metadata": {"name": "probe"}, "spec": {"schedulingPolicy": {"basic": {}}}});
        quota::close(scene, GROUPS, Write::create("apis/scheduling.k8s.io/v1beta1", "podgroups", group)).await?;
        scene.submit(counted(1, 1)).await?;
        scene.wait(workloads().of("job").count(1)).await?;
        scene
            .linger(Duration::from_secs(1), "a controller that goes on without the group has created pods by then")
            .await?;
        scene.mark("refused").await?;
        quota::open(scene, GROUPS, 9).await?;
        scene.wait(pods().running(1)).await
    }

    fn expects(&self) -> Expectations {
        let (workload, group) = (workloads().of("job"), pod_groups().of("job"));
        Expectations::from([
            ("the Workload is there", before(&passed("refused"), eventually(workload.count(1)))),
            ("there are no pods without a group", never(pods().at_least(1).and(group.count(0)))),
            ("there are none while the group is refused", before(&passed("refused"), never(pods().at_least(1)))),
            ("the group is tried again", after(&passed("refused"), eventually(group.count(1)))),
            ("and then there are pods, as members", eventually(pods().running(1).and(group.hold_all_pods_of("job")))),
            ("the Workload has no twin", never(workloads().at_least(2))),
        ])
    }
}
