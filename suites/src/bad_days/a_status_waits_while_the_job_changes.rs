//! A status write that is overtaken.

use crate::words::*;

/// A status that was computed before somebody changed the Job is not written over what he changed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status updates",
                says: "a status is written only to the version that it was computed from",
            },
            requirements: &["SYN-024", "SUS-002"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        let held = scene.wire().meets(change_of("jobs/status"), Mishap::HeldBefore).await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&held, 1).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.mark("overtaken").await?;
        scene.wire().releases(&held).await?;
        scene.wait(job().has(Suspended).and(job().succeeded(1))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let overtaken = passed("overtaken");
        let both = job().has(Suspended).and(job().succeeded(1));
        Expectations::from([
            ("the suspension and the success are both heard", after(&overtaken, eventually(both))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
