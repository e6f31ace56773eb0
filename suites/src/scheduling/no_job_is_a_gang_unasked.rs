//! Jobs that look like gangs and do not say that they are.

use crate::words::*;

/// An Indexed Job that runs all its indexes at once, which was a gang in 1.36, is a basic group of pods unless it asks for more.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job API",
                says: "the scheduling policy of a Job that names none is basic, whatever its completion mode",
            },
            requirements: &["SCH-002"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2)).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let (workload, group) = (workloads().of("job"), pod_groups().of("job"));
        let basic = json!({});
        Expectations::from([
            (
                "its template is basic",
                eventually(workload.with("/spec/podGroupTemplates/0/schedulingPolicy/basic", basic.clone()).count(1)),
            ),
            ("its group is basic", eventually(group.with("/spec/schedulingPolicy/basic", basic).count(1))),
            ("it is never a gang", never(group.with("/spec/schedulingPolicy/gang/minCount", 2).at_least(1))),
            ("every pod is a member", always(group.hold_all_pods_of("job"))),
        ])
    }
}
