//! Watches whose history is gone.

use crate::words::*;

/// A controller that is told that history is gone lists again, and finds what it has missed.
pub struct This;

/// Longer than controllers put off what need not be done at once.
const AT_REST: Duration = Duration::from_secs(2);

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "informers",
                says: "on 410 the world is listed anew",
            },
            requirements: &["SYN-001", "FIN-003"],
            needs: Needs { faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2)).await?;
        scene.wait(job().ready(2).and(pods().running(2))).await?;
        scene.linger(AT_REST, "only the new list may wake the Job, and not a status that was written before").await?;
        // The first end is told by nothing but the new list: the watch that would have told it is cut before it can.
        scene.wire().holds_watches_of("pods").await?;
        scene.pod(0).succeeds().await?;
        scene.wire().expires_watches_of("pods", 2).await?;
        scene.wire().releases_watches_of("pods").await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.wire().expires_watches_of("jobs", 1).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let gone = passed("watches expired: pods, 2 times");
        Expectations::from([
            ("what was missed is found", after(&gone, eventually(job().completed_indexes("0")))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
            ("no pod is started again", after(&gone, never(pods().created()))),
        ])
    }
}
