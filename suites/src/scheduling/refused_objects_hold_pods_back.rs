//! What the scheduler would need, and the API server refuses.

use crate::{quota, words::*};

const WORKLOADS: &str = "count/workloads.scheduling.k8s.io";

/// While its Workload is refused a Job has no pods, and it has them when the Workload is let in.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Failure recovery",
                says: "a failure to create the Workload or the PodGroup blocks the creation of pods and is retried",
            },
            requirements: &["SCH-012"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let templates = json!([{"name": "main", "schedulingPolicy": {"basic": {}}}]);
        let probe = json!({"metadata": {"name": "probe"}, "spec": {"podGroupTemplates": templates}});
        let probe = Write::create("apis/scheduling.k8s.io/v1beta1", "workloads", probe);
        quota::close(scene, WORKLOADS, probe).await?;
        scene.submit(counted(1, 1)).await?;
        scene.wait(notice("FailedWorkloadCreate").was_written()).await?;
        scene.mark("refused").await?;
        quota::open(scene, WORKLOADS, 9).await?;
        scene.wait(pods().running(1)).await
    }

    fn expects(&self) -> Expectations {
        let group = pod_groups().of("job");
        Expectations::from([
            ("the refusal is told", eventually(notice("FailedWorkloadCreate").on("Job/job").was_written())),
            ("there are no pods without a group", never(pods().at_least(1).and(group.count(0)))),
            ("there are none while the Workload is refused", before(&passed("refused"), never(pods().at_least(1)))),
            ("the Workload is tried again", after(&passed("refused"), eventually(workloads().of("job").count(1)))),
            ("and then there are pods, as members", eventually(pods().running(1).and(group.hold_all_pods_of("job")))),
        ])
    }
}
