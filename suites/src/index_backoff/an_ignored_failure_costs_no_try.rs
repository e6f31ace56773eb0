//! A failure that counts after one that was ignored.

use crate::words::*;

/// An index whose first failure was ignored has all its tries for the failures that count.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Design Details",
                says: "failures that the pod failure policy ignores are kept apart and not charged to the index",
            },
            requirements: &["BLI-001", "BLI-003", "PFP-009"],
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).backoff_limit_per_index(1).when_a_pod(exits(&[13]).ignore())).await?;
        for code in [13, 1] {
            scene.pod(0).ends(End::exited_long_ago(code)).await?;
        }
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let ended = |n| pods().that_are(failed()).at_least(n);
        Expectations::from([
            ("the ignored failure is followed by another try", after(&ended(1), eventually(pods().created()))),
            ("and so is the first that counts", after(&ended(2), eventually(pods().created()))),
            ("the index has not failed", never(job().failed_indexes("0"))),
            ("one failure counts", eventually(job().has(Complete).and(job().failed(1)).and(job().succeeded(1)))),
        ])
    }
}
