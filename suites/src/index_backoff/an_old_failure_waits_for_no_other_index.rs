//! From when the delay of an index counts.

use crate::words::*;

/// The delay of an index counts from its own last failure: one that failed long ago is tried at once, whichever index has just failed.
///
/// Both indexes fail three times, which costs forty seconds. All failures are an hour old, but for the last one of index 0.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Expotential backoff delay per index",
                says: "the delay of an index counts from the last failure of that index",
            },
            requirements: &["BLI-012", "BLI-013"],
            needs: Needs {
                gates: &["JobBackoffLimitPerIndex"],
                pods: PodNeeds::Played("pods that ended some time ago"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit_per_index(3)).await?;
        scene.wait(pods().running(2)).await?;
        for _ in 0..2 {
            scene.pod(0).ends(End::exited_long_ago(1)).await?;
            scene.pod(1).ends(End::exited_long_ago(1)).await?;
            scene.wait(pods().running(2)).await?;
        }
        scene.pod(0).fails(1).await?;
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.wait(index(1).running(1)).await
    }

    fn expects(&self) -> Expectations {
        let fresh = index(0).that_are(failed()).at_least(3);
        let old = index(1).that_are(failed()).at_least(3);
        // No time is left, and a slow machine may have some. Forty seconds would be left from the failure of index 0.
        let soon = Duration::from_secs(15);
        Expectations::from([
            (
                "an index that failed long ago waits for no other",
                after(&old, eventually_within(soon, index(1).created())),
            ),
            (
                "one that has just failed waits for itself",
                after(&fresh, never(index(0).created_sooner_than(Duration::from_secs(40)))),
            ),
            ("and the Job goes on", never(job().is_finished())),
        ])
    }
}
