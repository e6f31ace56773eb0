//! Somebody deletes the lease while Jobs are half done.

use crate::words::*;

/// A lease that is deleted is taken anew, by whomever, and nothing is lost or done twice.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "a lease that is gone is taken anew, and the work goes on",
            },
            requirements: &["SYN-026", "PAR-001"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 2)).await?;
        scene.wait(job().active(2).and(pods().running(2))).await?;
        scene.leader().loses_its_lease().await?;
        super::succeed_until(scene, job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let without = passed("subject without a lease");
        Expectations::from([
            ("the Job completes", after(&without, eventually(job().has(Complete).and(job().succeeded(4))))),
            ("nothing is counted as failed", never(job().failed_at_least(1))),
        ])
    }
}
