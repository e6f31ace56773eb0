//! The delay after a success.

use crate::words::*;

/// A success makes the next failure a first one: its delay is ten seconds again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "back-off of failed pods",
                says: "only failures since the last success make the delay longer",
            },
            requirements: &["BKO-006", "BKO-008"],
            needs: Needs { binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 1).backoff_limit(6)).await?;
        scene.some_pod().ends(End::exited_long_ago(1)).await?;
        scene.some_pod().ends(End::exited_long_ago(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.some_pod().fails(1).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = pods().that_are(failed()).at_least(3).and(pods().any(succeeded()));
        Expectations::from([
            ("a failure still costs time", after(&again, never(pods().created_sooner_than(Duration::from_secs(10))))),
            // The third failure in a row would cost forty seconds.
            (
                "but no more than a first one",
                after(&again, eventually_within(Duration::from_secs(20), pods().created())),
            ),
            ("the limit remembers all failures", eventually(job().failed(3))),
            ("and is not exceeded", eventually(job().has(Complete).and(job().failed(3)))),
        ])
    }
}
