//! The limit of failed indexes and indexes side by side.

use crate::words::*;

/// Two failed indexes that are neighbours are two, though the status shows them as one stretch.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Story 3",
                says: "a Job may be given up when more indexes have failed than it allows",
            },
            requirements: &["BLI-006", "BLI-008"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(5).backoff_limit_per_index(0).spec("maxFailedIndexes", 2)).await?;
        scene.wait(pods().running(5)).await?;
        for failing in [1, 2] {
            scene.pod(failing).fails(1).await?;
        }
        scene.wait(job().failed_indexes("1,2")).await?;
        scene.pod(3).fails(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let third = index(3).any(stopped());
        let declared = job().has(FailureTarget.because("MaxFailedIndexesExceeded"));
        Expectations::from([
            ("two failed indexes are allowed", before(&third, never(job().has(FailureTarget)))),
            ("they are noted", before(&third, eventually(job().failed_indexes("1,2")))),
            ("the third one is not", after(&third, eventually(declared.clone()))),
            ("the others are stopped", after(&declared, eventually(index(0).all(stopping())))),
            ("all three are failed in the end", whenever(&job().has(Failed), job().failed_indexes("1-3"))),
        ])
    }
}
