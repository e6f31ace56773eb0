//! Groups across a restart of the controller.

use crate::words::*;

/// A controller that was killed finds the Workload and the `PodGroup` that it made, and puts the next pods into the same group.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Failure recovery",
                says: "objects that exist are discovered after a restart instead of being created again",
            },
            requirements: &["SCH-003"],
            needs: Needs {
                gates: super::GATES,
                since: Some(Minor::new(1, 37)),
                restarts_subject: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).parallelism(1)).await?;
        scene.wait(index(0).running(1)).await?;
        scene.subject().crash().await?;
        scene.pod(0).succeeds().await?;
        scene.subject().restart().await?;
        scene.wait(index(1).running(1)).await
    }

    fn expects(&self) -> Expectations {
        let group = pod_groups().of("job");
        Expectations::from([
            ("there is a group before the crash", before(&passed("subject crashed"), eventually(group.count(1)))),
            ("there is never a second one", never(pod_groups().at_least(2).or(workloads().at_least(2)))),
            (
                "a pod after the restart is a member",
                after(&passed("subject restarted"), eventually(index(1).running(1).and(group.hold_all_pods_of("job")))),
            ),
        ])
    }
}
