//! A quota that is used up, until a pod ends.

use crate::{bare_pod::bare_pod, quota, words::*};

/// Creations that a quota refuses come soon after a pod has made room, however often they were refused before.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "requeues",
                says: "the delay after errors of the API does not keep a pod's end from being acted upon",
            },
            requirements: &["SYN-003", "SYN-005", "PAR-011", "BKO-017"],
            needs: Needs { binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        quota::close(scene, "pods", bare_pod("probe").create()).await?;
        quota::open(scene, "pods", 2).await?;
        scene.submit(counted(4, 3)).await?;
        scene.wait(pods().running(2)).await?;
        // Tried again after 1, 3, 7 and 15 s, and not before second 31 unless something happens.
        scene.linger(Duration::from_secs(17), "the delay of refused creations must have grown").await?;
        for _ in 0..4 {
            scene.some_pod().succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let room = pods().that_are(succeeded()).at_least(1);
        let refused = notice("FailedCreate").saying("exceeded quota");
        Expectations::from([
            ("the refusal is told", before(&room, eventually(refused.was_written()))),
            ("the quota holds until a pod ends", before(&room, never(pods().at_least(3)))),
            ("the room is used soon", after(&room, eventually_within(Duration::from_secs(8), pods().at_least(3)))),
            ("nothing has failed", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete))),
        ])
    }
}
