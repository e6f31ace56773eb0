//! Jobs that are owned and not controlled.

use crate::{bare_pod::reference, words::*};

/// An owner for the garbage collector alone has no say in how pods are scheduled: the Job has a Workload and a group of its own.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "only a Job that another object controls leaves the Workload to it",
            },
            requirements: &["SCH-003", "SCH-007"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let owner = scene
            .attempt("owner", Write::create("api/v1", "configmaps", json!({"metadata": {"name": "owner"}})))
            .await?;
        scene.submit(counted(2, 2).metadata("ownerReferences", json!([reference(&owner, false)]))).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let (workload, group) = (workloads().of("job"), pod_groups().of("job"));
        Expectations::from([
            ("the owner is there", eventually(answer("owner").is_accepted())),
            ("the Job has a Workload and a PodGroup", eventually(workload.count(1).and(group.count(1)))),
            ("every pod is a member", always(group.hold_all_pods_of("job"))),
        ])
    }
}
