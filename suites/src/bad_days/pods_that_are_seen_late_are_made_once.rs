//! A watch of pods that is behind.

use crate::words::*;

/// While the watch of pods is behind, no pod is made for one that was asked for already.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "expectations",
                says: "a controller that waits to see its pods makes no others",
            },
            requirements: &["SYN-014", "SYN-015"],
            needs: Needs { faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.wire().holds_watches_of("pods").await?;
        scene.submit(counted(3, 3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.patch("job", json!({"metadata": {"labels": {"looked": "at"}}})).await?;
        scene.linger(Duration::from_secs(2), "a pod too many needs its chance").await?;
        scene.wire().releases_watches_of("pods").await?;
        for _ in 0..3 {
            scene.some_pod().succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("there is no fourth pod", never(pods().at_least(4))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(3)))),
        ])
    }
}
