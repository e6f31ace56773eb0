//! A limit per index across off and on: the manual test of KEP-3850.

use crate::words::*;

/// With the gate off failed indexes are forgotten and tried again; with the gate on again indexes fail by what is seen since.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Upgrade / Downgrade Strategy",
                says: "with the gate off the limit per index does not count, with the gate on it does again",
            },
            requirements: &["UPG-001", "UPG-005", "BLI-016", "BLI-017"],
            needs: Needs { flips: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).backoff_limit_per_index(0)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed_indexes("0").and(job().active(2))).await?;
        scene.change(Change::gate("JobBackoffLimitPerIndex", false)).await?;
        scene.wait(job().active(3).and(pods().running(3))).await?;
        scene.mark("three run again").await?;
        scene.change(Change::gate("JobBackoffLimitPerIndex", true)).await?;
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed_indexes("1")).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (off, on) = (changed("JobBackoffLimitPerIndex off"), changing("JobBackoffLimitPerIndex on"));
        let forgotten = job().status("has no failedIndexes".to_owned(), |status| status.failed_indexes.is_none());
        let begins = changing("JobBackoffLimitPerIndex off");
        Expectations::from([
            ("the index fails with the gate on", before(&begins, eventually(job().failed_indexes("0")))),
            ("and is not tried again", before(&begins, never(index(0).created().and(job().failed(1))))),
            (
                "with the gate off it is forgotten",
                after(&begins, before(&on, eventually(forgotten.and(job().active(3))))),
            ),
            ("and tried again", after(&begins, before(&on, eventually(index(0).created())))),
            ("with the gate on again another index fails", after(&on, eventually(job().failed_indexes("1")))),
            ("and is not tried again", after(&on, never(index(1).created()))),
            (
                "the first one is not failed any more",
                after(&off, never(job().failed_indexes("0").or(job().failed_indexes("0,1")))),
            ),
            (
                "the Job fails by its failed index",
                eventually(job().has(Failed.because("FailedIndexes")).and(job().completed_indexes("0,2"))),
            ),
        ])
    }
}
