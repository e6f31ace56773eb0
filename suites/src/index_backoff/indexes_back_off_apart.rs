//! The delay of an index.

use crate::words::*;

/// Each index has a delay of its own: one that failed often does not hold up one that failed once.
///
/// Indexes 0 and 2 fail five times, which costs 160 seconds. Four of these failures are an hour old, so their pods are replaced at once.
/// The fifth of index 0 is new, so it waits for longer than the case; that of index 2 lies 140 seconds back in time: twenty are
/// left. Index 1 fails for the first time: ten seconds.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Expotential backoff delay per index",
                says: "the delay grows with the failures of the index, and concerns this index alone",
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
        scene.submit(indexed(3).backoff_limit_per_index(6)).await?;
        scene.wait(pods().running(3)).await?;
        for _ in 0..4 {
            scene.pod(0).ends(End::exited_long_ago(1)).await?;
            scene.pod(2).ends(End::exited_long_ago(1)).await?;
            scene.wait(pods().running(3)).await?;
        }
        scene.pod(0).fails(1).await?;
        scene.pod(1).fails(1).await?;
        scene.pod(2).ends(End::exited_ago(1, 140)).await?;
        scene.wait(index(1).running(1).and(index(2).running(1))).await
    }

    fn expects(&self) -> Expectations {
        let often = index(0).that_are(failed()).at_least(5);
        let once = index(1).that_are(failed()).at_least(1);
        let often_and_long_ago = index(2).that_are(failed()).at_least(5);
        let (ten, long) = (Duration::from_secs(10), Duration::from_secs(160));
        // Ten and twenty seconds are left, and a slow machine may have forty more. From the failure of index 0 160 would be left, and
        // of a delay that is a fifth too short nothing.
        let later = Duration::from_secs(60);
        Expectations::from([
            ("index 1 waits", after(&once, never(index(1).created_sooner_than(ten)))),
            ("for its own failure only", after(&once, eventually_within(later, index(1).created()))),
            ("index 2 waits longer", after(&often_and_long_ago, never(index(2).created_sooner_than(long)))),
            ("but not for ever", after(&often_and_long_ago, eventually_within(later, index(2).created()))),
            ("index 0 waits as long, from its own failure", after(&often, never(index(0).created_sooner_than(long)))),
        ])
    }
}
