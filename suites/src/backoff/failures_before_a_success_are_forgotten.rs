//! Failures and a success that one sync finds.

use crate::words::*;

/// Of failures and a success that come to light together, only failures after the success make the delay longer.
///
/// One failure lies before the success, one after it, four seconds back in time: six of ten seconds are
/// left of the delay. Two failures in a row would leave sixteen.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "back-off of failed pods",
                says: "failures are compared with the latest success by when they finished",
            },
            requirements: &["BKO-008", "BKO-012"],
            needs: Needs { restarts_subject: true, binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 3).backoff_limit(6)).await?;
        scene.wait(pods().running(3)).await?;

        // A subject that starts anew lists all pods before its first sync, so that sync sees all ends.
        scene.subject().crash().await?;
        scene.some_pod().ends(End::exited_ago(1, 30)).await?;
        scene.some_pod().ends(End::exited_ago(0, 20)).await?;
        scene.some_pod().ends(End::exited_ago(1, 4)).await?;
        scene.subject().restart().await?;
        scene.wait(pods().running(3)).await
    }

    fn expects(&self) -> Expectations {
        let last = pods().that_are(failed()).at_least(2);
        Expectations::from([
            ("the last failure costs time", after(&last, never(pods().created_sooner_than(Duration::from_secs(10))))),
            ("as a first one does", after(&last, eventually_within(Duration::from_secs(12), pods().created()))),
            ("all ends are counted", after(&last, eventually(job().failed(2).and(job().succeeded(1))))),
        ])
    }
}
