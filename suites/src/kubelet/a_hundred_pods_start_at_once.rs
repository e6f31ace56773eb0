//! As many pods as a node takes, all at once.

use crate::words::*;

/// How many pods there are.
const PODS: u32 = 100;
/// A node of a small machine starts about one pod a second.
const LIMIT: Duration = Duration::from_secs(240);

/// A hundred pods of one Job start on one node, and none fails for want of anything.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "Parallel execution for Jobs",
                says: "a Job runs as many pods at a time as its parallelism says",
            },
            requirements: &["PAR-001"],
            needs: Needs { pods: PodNeeds::Real { nodes: 1 }, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(PODS, PODS).backoff_limit(0)).await?;
        scene.wait_up_to(LIMIT, pods().running(PODS as usize)).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("all of them run at a time", eventually(pods().running(PODS as usize))),
            ("none of them fails", never(job().failed_at_least(1))),
        ])
    }
}
