//! A watch that is behind from one pod on.

use crate::words::*;

/// While one of the pods that were asked for is seen and the other is not, nobody takes the other for missing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "expectations",
                says: "a controller that has seen some of its pods waits for the others before it makes more",
            },
            requirements: &["SYN-014", "SYN-015"],
            needs: Needs { faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.wire().holds_watches_from("pods", "job-1-").await?;
        scene.submit(indexed(2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.patch("job", json!({"metadata": {"labels": {"looked": "at"}}})).await?;
        scene.linger(Duration::from_secs(2), "a pod too many needs its chance").await?;
        scene.wire().releases_watches_of("pods").await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("there is no third pod", never(pods().at_least(3))),
            ("the Job completes", eventually(job().has(Complete).and(job().completed_indexes("0,1")))),
            ("nothing has failed", never(job().failed_at_least(1))),
        ])
    }
}
