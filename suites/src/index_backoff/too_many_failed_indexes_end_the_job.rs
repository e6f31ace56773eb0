//! The limit of failed indexes.

use crate::words::*;

/// With `maxFailedIndexes` 1 the second failed index ends the Job and stops the rest.
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
            requirements: &["BLI-006", "BLI-008", "STA-001", "STA-004"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).backoff_limit_per_index(0).spec("maxFailedIndexes", 1)).await?;
        scene.wait(pods().running(4)).await?;
        scene.pod(0).fails(1).await?;
        scene.wait(job().failed_indexes("0")).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("1")).await?;
        scene.pod(2).fails(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let second = index(2).any(stopped());
        let says = "Job has exceeded the specified maximal number of failed indexes";
        let declared = job().has(FailureTarget.because("MaxFailedIndexesExceeded").saying(says));
        let failed = job().has(Failed.because("MaxFailedIndexesExceeded").saying(says));
        Expectations::from([
            ("one failed index is allowed", before(&second, never(job().has(FailureTarget)))),
            ("it is noted", before(&second, eventually(job().failed_indexes("0")))),
            ("the second one is not", after(&second, eventually(declared.clone()))),
            ("the last index is stopped", after(&declared, eventually(index(3).all(stopping())))),
            ("no pod is started after that", after(&declared, never(pods().created()))),
            ("the Job fails for the same reason", after(&declared, eventually(failed.clone()))),
            ("a stopped index is not a failed one", whenever(&failed, job().failed_indexes("0,2"))),
            ("successes stay", whenever(&failed, job().completed_indexes("1"))),
        ])
    }
}
