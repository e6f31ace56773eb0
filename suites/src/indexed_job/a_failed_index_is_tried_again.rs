//! Retries of an index.

use crate::words::*;

/// A pod that failed is replaced by one of the same index, before any higher index is tried; an index that succeeded is not run again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Pod creation",
                says: "a failed pod is replaced with the same index, and an index that succeeded never runs again",
            },
            requirements: &["IDX-008", "IDX-010", "IDX-011", "PAR-024", "BKO-006"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).parallelism(2).backoff_limit(1)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("1")).await?;
        scene.wait(index(2).running(1)).await?;
        // There is room for one of two: the index that failed, and one that was never tried.
        scene.pod(0).fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.wait(index(0).running(1)).await?;
        for index in [0, 2, 3] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let failed_once = index(0).any(failed());
        Expectations::from([
            ("the failure is counted", eventually(job().failed(1))),
            ("the index is tried again", after(&failed_once, eventually(index(0).created()))),
            (
                "not before the delay of 10 s",
                after(&failed_once, never(index(0).created_sooner_than(Duration::from_secs(10)))),
            ),
            (
                "before one that was never tried",
                whenever(&index(3).created(), index(0).any(failed()).and(index(0).any(failed().negated()))),
            ),
            ("the index that succeeded is left alone", after(&failed_once, never(index(1).created()))),
            ("the second try completes the Job", eventually(job().has(Complete).and(job().completed_indexes("0-3")))),
            ("the failure stays counted", whenever(&job().has(Complete), job().failed(1))),
        ])
    }
}
