//! Workloads that name a Job that has not made them.

use crate::words::*;

/// What somebody else planned for a Job of that name is not the Job's: it makes a Workload of its own and leaves the other alone.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "a Job finds its Workload by the reference and by being its controller",
            },
            requirements: &["SCH-003", "SCH-009"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let planned = json!({
            "metadata": {"name": "planned"},
            "spec": {
                "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "job"},
                "podGroupTemplates": [{"name": "main", "schedulingPolicy": {"gang": {"minCount": 2}}}],
            },
        });
        scene.must(Write::create("apis/scheduling.k8s.io/v1beta1", "workloads", planned)).await?;
        scene.wait(workloads().count(1)).await?;
        scene.linger(Duration::from_millis(500), "the controller hears of Workloads by a watch of its own").await?;
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let (own, group) = (workloads().of("job"), pod_groups().of("job"));
        Expectations::from([
            ("the Job has a Workload of its own", eventually(own.with_name_like("job-").count(1))),
            ("the other is nobody's", never(own.with_name_like("planned").at_least(1))),
            ("the other stays", after(&job().exists(), always(workloads().with_name_like("planned").count(1)))),
            ("every pod is a member of the Job's group", always(group.hold_all_pods_of("job"))),
            ("it is no gang", never(group.with("/spec/schedulingPolicy/gang/minCount", 2).at_least(1))),
        ])
    }
}
