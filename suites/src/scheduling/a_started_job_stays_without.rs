//! The gate that comes on under a Job that runs.

use crate::words::*;

/// A Job that has started gets no group when its gate comes on; the next Job does.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Upgrade",
                says: "objects are only created for a Job that has never started",
            },
            requirements: &["SCH-003"],
            needs: Needs {
                gates: &["GenericWorkload"],
                flips: &["WorkloadWithJob"],
                since: Some(Minor::new(1, 37)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.change(Change::gate("WorkloadWithJob", false)).await?;
        scene.submit(counted(3, 1)).await?;
        scene.wait(pods().running(1)).await?;
        scene.change(Change::gate("WorkloadWithJob", true)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1).and(pods().running(1))).await?;
        scene.submit(counted(1, 1).named("next")).await?;
        scene.wait(pods().of("next").running(1)).await
    }

    fn expects(&self) -> Expectations {
        let in_a_group =
            word("in a group", |pod| pod.spec.as_ref().is_some_and(|spec| spec.scheduling_group.is_some()));
        Expectations::from([
            (
                "there is nothing while the gate is off",
                before(&changing("WorkloadWithJob on"), never(workloads().at_least(1))),
            ),
            (
                "the Job that has started gets none",
                never(workloads().of("job").at_least(1).or(pod_groups().of("job").at_least(1))),
            ),
            ("nor do its later pods get into a group", never(pods().of("job").any(in_a_group))),
            ("the next Job has one", eventually(pods().of("next").running(1).and(pod_groups().of("next").count(1)))),
        ])
    }
}
