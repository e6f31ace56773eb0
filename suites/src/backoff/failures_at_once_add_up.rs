//! Several failures together.

use crate::words::*;

/// Two pods that fail together make the delay as long as two that fail one after the other.
///
/// Both fail two seconds back in time: eighteen seconds are left of twenty. Ten seconds would leave
/// eight, long enough for both failures to be seen first.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "back-off of failed pods",
                says: "every failure makes the delay longer, also of pods that run side by side",
            },
            requirements: &["BKO-006", "BKO-011"],
            needs: Needs { binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2).backoff_limit(6)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().ends(End::exited_ago(1, 2)).await?;
        scene.some_pod().ends(End::exited_ago(1, 2)).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let both = pods().that_are(failed()).at_least(2);
        Expectations::from([
            (
                "nothing is started as after one failure",
                after(&both, never(pods().created_sooner_than(Duration::from_secs(20)))),
            ),
            ("but as after two", after(&both, eventually_within(Duration::from_secs(25), pods().created()))),
            ("both are counted", after(&both, eventually(job().failed(2)))),
        ])
    }
}
