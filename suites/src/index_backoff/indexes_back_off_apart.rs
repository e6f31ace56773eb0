//! The delay of an index.

use crate::words::*;

/// Each index has a delay of its own: one that failed twice does not hold up one that failed once.
///
/// Index 0 fails a second time six seconds back in time: fourteen of twenty seconds are left. Index 1 fails
/// for the first time, six seconds back too: four of ten are left.
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
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit_per_index(3)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).ends(End::exited_long_ago(1)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).ends(End::exited_ago(1, 6)).await?;
        scene.pod(1).ends(End::exited_ago(1, 6)).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let twice = index(0).that_are(failed()).at_least(2);
        let once = index(1).that_are(failed()).at_least(1);
        let again = once.clone().and(index(1).any(live()));
        Expectations::from([
            ("index 1 waits", after(&once, never(index(1).created_sooner_than(Duration::from_secs(10))))),
            ("for its own failure only", after(&once, eventually_within(Duration::from_secs(11), index(1).created()))),
            ("index 0 waits longer", after(&twice, never(index(0).created_sooner_than(Duration::from_secs(20))))),
            ("but not for ever", after(&twice, eventually_within(Duration::from_secs(24), index(0).created()))),
            ("and comes after index 1", after(&again, eventually(index(0).created()))),
        ])
    }
}
