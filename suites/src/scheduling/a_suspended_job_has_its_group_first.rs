//! Groups of Jobs that are suspended from the beginning.

use crate::words::*;

/// A suspended Job has its Workload and its `PodGroup` while it waits, and uses them when it is resumed; a gang is never smaller than one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "a suspended Job has its Workload and PodGroup before it starts",
            },
            requirements: &["SCH-003", "SCH-004"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let gang = json!({"schedulingPolicy": {"gang": {}}});
        scene.submit(counted(2, 2).suspended()).await?;
        scene.submit(counted(1, 0).named("nobody").spec("scheduling", gang)).await?;
        scene.wait(pod_groups().count(2)).await?;
        scene.wait(job().has(Suspended)).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let group = pod_groups().of("job");
        let smallest = pod_groups().of("nobody").with("/spec/schedulingPolicy/gang/minCount", 1);
        Expectations::from([
            ("it has a group while it is suspended", eventually(group.count(1).and(pods().count(0)))),
            ("its pods are members", after(&pods().running(2), always(group.hold_all_pods_of("job")))),
            ("it keeps the group that it had", never(group.at_least(2).or(workloads().of("job").at_least(2)))),
            ("a gang of nobody has the size 1", eventually(smallest.count(1))),
        ])
    }
}
