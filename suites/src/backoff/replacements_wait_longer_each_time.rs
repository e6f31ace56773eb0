//! The delay before a failed pod is replaced.

use crate::words::*;

/// A failed pod is replaced after ten seconds, the next one after twenty; the failure itself is counted at once.
///
/// The second pod fails ten seconds back in time, so ten of its twenty seconds are left.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "back-off of failed pods",
                says: "new pods come 10, 20, 40 seconds after the latest failure",
            },
            requirements: &["BKO-006", "BKO-010", "BKO-015", "SYN-004"],
            needs: Needs { binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(6)).await?;
        scene.some_pod().fails(1).await?;
        scene.some_pod().ends(End::exited_ago(1, 10)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let once = pods().that_are(failed()).at_least(1);
        let twice = pods().that_are(failed()).at_least(2);
        // The delay counts from the container's end, which a kubelet tells a second or two later.
        let soon = Duration::from_secs(8);
        let (ten, twenty) = (Duration::from_secs(10), Duration::from_secs(20));
        // The second failure lies ten seconds back only where its pod is played.
        let (late, later) = (Duration::from_secs(18), Duration::from_secs(28));
        Expectations::from([
            ("nothing is started right after a failure", after(&once, never(pods().created_sooner_than(ten)))),
            (
                "the failure is counted all the same",
                after(&once, before(&twice, eventually_within(soon, job().failed(1)))),
            ),
            ("a pod comes after ten seconds", after(&once, eventually_within(late, pods().created()))),
            ("ten are not enough the second time", after(&twice, never(pods().created_sooner_than(twenty)))),
            ("twenty are", after(&twice, eventually_within(later, pods().created()))),
            ("the third pod succeeds", eventually(job().has(Complete).and(job().failed(2)))),
        ])
    }
}
