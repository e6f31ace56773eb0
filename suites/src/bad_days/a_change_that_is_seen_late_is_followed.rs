//! A watch of Jobs that is behind.

use crate::words::*;

/// What a controller does before it has seen a change harms nothing, and the change is followed once it is seen.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status updates",
                says: "a status that was computed from an older Job is refused, and computed again",
            },
            requirements: &["SYN-024", "SUS-002"],
            needs: Needs { faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.wire().holds_watches_of("jobs").await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.some_pod().succeeds().await?;
        scene.linger(Duration::from_secs(2), "the controller must act on what it does not know to be old").await?;
        scene.wire().releases_watches_of("jobs").await?;
        scene.wait(job().has(Suspended).and(pods().running(0))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let seen = passed("watches speak again: jobs");
        Expectations::from([
            ("the suspension is followed", after(&seen, eventually(job().has(Suspended).and(pods().running(0))))),
            ("the success counts", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
