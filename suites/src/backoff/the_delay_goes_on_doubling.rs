//! The delay after many failures.

use crate::words::*;

/// The fifth failure in a row costs 160 seconds: 10 that are doubled four times.
///
/// Four failures are an hour old, so their pods are replaced at once. The fifth one lies 150 seconds back in time: ten seconds are
/// left. A delay that is a tenth too short, or that stops doubling, leaves none, and one that is a third too long leaves a minute.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "back-off of failed pods",
                says: "the delay is ten seconds after the first failure and doubles with each one that follows",
            },
            requirements: &["BKO-006", "BKO-015"],
            needs: Needs {
                binaries_since: Some(Minor::new(1, 27)),
                pods: PodNeeds::Played("pods that ended some time ago"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(6)).await?;
        for _ in 0..4 {
            scene.some_pod().ends(End::exited_long_ago(1)).await?;
        }
        scene.some_pod().ends(End::exited_ago(1, 150)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let fifth = pods().that_are(failed()).at_least(5);
        // Ten seconds are left, and a slow machine may have twenty more. A delay that is 30 % too long would leave 58.
        let later = Duration::from_secs(30);
        Expectations::from([
            (
                "nothing is started before 160 seconds are over",
                after(&fifth, never(pods().created_sooner_than(Duration::from_secs(160)))),
            ),
            ("but soon afterwards", after(&fifth, eventually_within(later, pods().created()))),
            ("the sixth pod succeeds", eventually(job().has(Complete).and(job().failed(5)))),
        ])
    }
}
