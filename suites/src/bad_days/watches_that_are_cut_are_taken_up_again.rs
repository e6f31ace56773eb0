//! Watches that end in the middle.

use crate::words::*;

/// Cut watches are taken up where they ended: nothing is missed, and nothing is done twice.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "informers",
                says: "a watch that ends is opened again from the last version that was seen",
            },
            requirements: &["SYN-001", "FIN-003"],
            needs: Needs { faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        for index in 0..3 {
            scene.wire().cuts_watches_of("pods").await?;
            scene.pod(index).succeeds().await?;
            scene.wire().cuts_watches_of("jobs").await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let cut = passed("watches cut: jobs");
        Expectations::from([
            ("every index counts once", eventually(job().has(Complete).and(job().succeeded(3)))),
            ("no pod is started again", after(&cut, never(pods().created()))),
            ("nothing has failed", never(job().failed_at_least(1))),
        ])
    }
}
