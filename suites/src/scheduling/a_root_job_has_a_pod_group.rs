//! The Workload and the `PodGroup` of a Job that nobody controls.

use crate::words::*;

/// A Job that says nothing about its scheduling has a Workload and a `PodGroup` of the basic kind before it has pods, and they go with it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "a Workload and a PodGroup are created for every root Job before its pods, and are garbage collected with it",
            },
            requirements: &["EVT-011", "SCH-002", "SCH-003", "SCH-010", "SCH-011"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.mark("to be deleted").await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(workloads().count(0).and(pod_groups().count(0))).await
    }

    fn expects(&self) -> Expectations {
        let (workload, group) = (workloads().of("job"), pod_groups().of("job"));
        let first = |property| before(&passed("to be deleted"), property);
        let basic = json!({});
        let owned_once = word("owned by one", |pod| pod.metadata.owner_references.iter().flatten().count() == 1);
        Expectations::from([
            ("it has a Workload and a PodGroup", eventually(workload.count(1).and(group.count(1)))),
            (
                "the template is basic",
                eventually(workload.with("/spec/podGroupTemplates/0/schedulingPolicy/basic", basic.clone()).count(1)),
            ),
            ("the group is basic", eventually(group.with("/spec/schedulingPolicy/basic", basic).count(1))),
            ("the Workload names its Job", eventually(workload.with("/spec/controllerRef/name", "job").count(1))),
            ("the group belongs to the Workload, too", eventually(group.owned_by(&Resource::WORKLOADS).count(1))),
            ("the Workload comes first", first(never(group.at_least(1).and(workload.count(0))))),
            ("the group comes before the pods", first(never(pods().of("job").at_least(1).and(group.count(0))))),
            ("every pod is a member", first(always(group.hold_all_pods_of("job")))),
            ("both are told", eventually(notice("WorkloadCreated").on("Job/job").was_written())),
            ("one after the other", eventually(notice("PodGroupCreated").on("Job/job").was_written())),
            ("the Workload is named after the Job", eventually(workload.with_name_like("job-").count(1))),
            ("the group is named after both", eventually(group.with_name_like("-job-pgt-0-").count(1))),
            ("the pods belong to the Job alone", always(pods().of("job").all(owned_once))),
            ("neither has a twin", never(workloads().at_least(2).or(pod_groups().at_least(2)))),
            (
                "both go with the Job",
                after(&passed("to be deleted"), eventually(workloads().count(0).and(pod_groups().count(0)))),
            ),
        ])
    }
}
