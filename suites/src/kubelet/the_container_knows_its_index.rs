//! What a container sees of its index.

use crate::words::*;

/// The program in a pod of an Indexed Job finds its index in its environment, and its host is named for it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Design Details",
                says: "the index is in the container's environment and in its host name",
            },
            requirements: &["IDX-003", "IDX-005"],
            needs: Needs { pods: PodNeeds::Real { nodes: 1 }, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2)).await?;
        scene.pod(0).tells("container of index 0").await?;
        scene.pod(1).tells("container of index 1").await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let first = answer("container of index 0");
        let second = answer("container of index 1");
        let variable = "/environment/JOB_COMPLETION_INDEX";
        Expectations::from([
            ("index 0 is in the environment", eventually(first.has(variable, "0"))),
            ("and in the host name", eventually(first.has("/hostname", "job-0"))),
            ("index 1 is in the environment", eventually(second.has(variable, "1"))),
            ("and in its host name", eventually(second.has("/hostname", "job-1"))),
            ("the Job completes", eventually(job().has(Complete).and(job().completed_indexes("0,1")))),
        ])
    }
}
