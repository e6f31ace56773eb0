//! The gangs of Kubernetes 1.36.

use crate::words::*;

/// An Indexed Job that runs all its indexes at once is a gang, and no other Job is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Alpha of 1.36",
                says: "a Workload and a PodGroup are created for Indexed Jobs with completions = parallelism > 1, before their pods",
            },
            requirements: &["SCH-001", "SCH-003", "SCH-011"],
            needs: Needs {
                gates: super::GATES,
                since: Some(Minor::new(1, 36)),
                until: Some(Minor::new(1, 36)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).named("gang")).await?;
        scene.submit(indexed(1).named("single")).await?;
        scene.submit(indexed(2).parallelism(1).named("slow")).await?;
        scene.submit(counted(2, 2).named("crowd")).await?;
        scene.wait(pods().running(6)).await?;
        scene.wait(pod_groups().of("gang").count(1)).await
    }

    fn expects(&self) -> Expectations {
        let (workload, group) = (workloads().of("gang"), pod_groups().of("gang"));
        let sized = group.with("/spec/schedulingPolicy/gang/minCount", 2);
        Expectations::from([
            ("it has a Workload and a PodGroup", eventually(workload.count(1).and(group.count(1)))),
            ("the gang is as large as the parallelism", eventually(sized.count(1))),
            ("the Workload comes first", never(group.at_least(1).and(workload.count(0)))),
            ("the group comes before the pods", never(pods().of("gang").at_least(1).and(group.count(0)))),
            ("every pod is a member", always(group.hold_all_pods_of("gang"))),
            ("the group belongs to the Workload, too", eventually(group.owned_by(&Resource::WORKLOADS).count(1))),
            ("no other Job has either", never(workloads().at_least(2).or(pod_groups().at_least(2)))),
        ])
    }
}
