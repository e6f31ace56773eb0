//! A Job whose time is over, and that cannot be deleted for a while.

use crate::words::*;

/// A deletion after the time to live that is refused is tried again until it is taken.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "a deletion that fails is tried again",
            },
            requirements: &["TTL-005", "TTL-006", "TTL-015"],
            needs: Needs { ttl_of_subject: true, faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let outage = scene.wire().meets(deletion_of("jobs").times(2), Mishap::refused(503)).await?;
        let last = scene.wire().meets(deletion_of("jobs").from_number(3), Mishap::HeldBefore).await?;
        scene.submit(counted(1, 1).ttl(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&outage, 2).await?;
        scene.wire().met(&last, 1).await?;
        scene.mark("the outage is over").await?;
        scene.wire().releases(&last).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let over = passed("the outage is over");
        Expectations::from([
            ("the Job stays meanwhile", before(&over, never(job().is_deleting()))),
            ("then it goes", after(&over, eventually(job().is_gone()))),
        ])
    }
}
