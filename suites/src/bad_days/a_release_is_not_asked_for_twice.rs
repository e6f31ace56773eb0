//! A pod that was let go, before a watch says so.

use crate::words::*;

/// While the watch of pods is behind, a pod that was let go of is neither let go of again nor counted again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "tracking",
                says: "what was asked for and not yet seen is remembered",
            },
            requirements: &["FIN-009", "FIN-003"],
            needs: Needs { faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(job().ready(2)).await?;
        let held = scene.wire().meets(change_of("pods"), Mishap::HeldBefore).await?;
        scene.some_pod().succeeds().await?;
        scene.wire().met(&held, 1).await?;
        scene.wire().holds_watches_of("pods").await?;
        scene.wire().releases(&held).await?;
        scene.wait(job().succeeded(1)).await?;
        for nth in 0..2 {
            scene.patch("job", json!({"metadata": {"annotations": {"touched": nth.to_string()}}})).await?;
            scene.linger(Duration::from_millis(1500), "a look that answers the touch needs its time").await?;
        }
        scene.wire().releases_watches_of("pods").await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let seen = passed("watches speak again: pods");
        let twice = job().status("counts it twice".to_owned(), |status| status.succeeded.unwrap_or(0) > 1);
        Expectations::from([
            ("a pod is let go of", before(&seen, eventually(requests("patch", "pods").at_least(1)))),
            ("once", before(&seen, never(requests("patch", "pods").more_than(1)))),
            ("and counted", before(&seen, eventually(job().succeeded(1)))),
            ("once", before(&seen, never(twice))),
            ("the Job completes", after(&seen, eventually(job().has(Complete).and(job().succeeded(2))))),
        ])
    }
}
