//! An API server that says when to come back.

use crate::words::*;

/// A write that is refused with a time to come back is not sent again before.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim { source: Source::JobController, section: "client", says: "who is told to wait waits" },
            requirements: &["SYN-005"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2)).await?;
        scene.wait(pods().running(2)).await?;
        let full = scene.wire().meets(change_of("jobs/status"), Mishap::refused_for(429, 5)).await?;
        scene.pod(0).succeeds().await?;
        scene.wire().met(&full, 1).await?;
        scene.mark("it is full").await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let full = passed("it is full");
        let early = Duration::from_millis(1500);
        Expectations::from([
            ("nothing is counted before its time", after(&full, never_within(early, job().completed_indexes("0")))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
