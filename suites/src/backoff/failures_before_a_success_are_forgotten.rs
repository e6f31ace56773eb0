//! Failures and a success that one sync finds.

use crate::words::*;

/// Of failures and a success that come to light together, only failures after the success make the delay longer.
///
/// Three failures lie before the success and two after it, the last one just now: that costs twenty seconds. Five failures in a row
/// would cost 160, and none nothing.
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
        scene.submit(counted(6, 6).backoff_limit(6)).await?;
        scene.wait(pods().running(6)).await?;

        // A subject that starts anew lists all pods before its first sync, so that sync sees all ends.
        scene.subject().crash().await?;
        for _ in 0..3 {
            scene.some_pod().ends(End::exited_ago(1, 300)).await?;
        }
        scene.some_pod().ends(End::exited_ago(0, 200)).await?;
        scene.linger(Duration::from_secs(1), "where pods really run, only another second is later").await?;
        scene.some_pod().ends(End::exited_ago(1, 100)).await?;
        scene.some_pod().fails(1).await?;
        scene.subject().restart().await?;
        scene.wait(pods().running(5)).await
    }

    fn expects(&self) -> Expectations {
        let last = pods().that_are(failed()).at_least(5);
        // Twenty seconds are left, and a slow machine may have forty more. With the failures before the success 160 would be.
        let later = Duration::from_secs(60);
        Expectations::from([
            ("the last failures cost time", after(&last, never(pods().created_sooner_than(Duration::from_secs(20))))),
            ("as the first two do", after(&last, eventually_within(later, pods().created()))),
            ("all ends are counted", after(&last, eventually(job().failed(5).and(job().succeeded(1))))),
        ])
    }
}
