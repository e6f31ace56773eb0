//! Somebody who is no instance of the controller takes the lease, and keeps it for a while.

use super::SOON;
use crate::words::*;

/// While a stranger holds the lease nothing is written; what happened meanwhile is made good once it is free.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "who does not get the lease does nothing, and then makes good what was left",
            },
            requirements: &["SYN-026", "PAR-001"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 2)).await?;
        scene.wait(job().active(2).and(pods().running(2))).await?;
        scene.leader().loses_its_lease_to_a_stranger().await?;
        scene.linger(Duration::from_secs(6), "the time is over for which the leader had it").await?;
        scene.pod_of("job").succeeds().await?;
        scene.linger(Duration::from_secs(3), "whoever wrote would do it now").await?;
        scene.leader().may_have_the_lease().await?;
        scene.wait(job().succeeded(1)).await?;
        for _ in 0..2 {
            scene.pod_of("job").succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let free = passed("subject may have the lease");
        Expectations::from([
            ("a pod ends before that", before(&free, eventually(pods().that_are(succeeded()).at_least(1)))),
            ("nothing is counted before", before(&free, never(job().succeeded(1)))),
            ("then soon", after(&free, eventually_within(SOON, job().succeeded(1)))),
            ("the Job completes", after(&free, eventually(job().has(Complete).and(job().succeeded(3))))),
            ("nothing is counted as failed", never(job().failed_at_least(1))),
        ])
    }
}
