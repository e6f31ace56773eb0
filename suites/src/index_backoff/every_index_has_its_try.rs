//! Indexes that fail beside others.

use crate::words::*;

/// All indexes run to their end though some fail; then the Job fails for those.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Job completion",
                says: "a failed index does not stop the others; the Job fails when all have come to an end",
            },
            requirements: &["BLI-003", "BLI-004", "BLI-005", "BLI-006", "BLI-007"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).backoff_limit_per_index(0)).await?;
        // Pods are there before the first status is written, and may run for long before.
        scene.wait(pods().running(4).and(job().failed_indexes(""))).await?;
        // So long ago that any delay is over: what is not tried again now never is.
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.pod(3).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed_indexes("1,3")).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let last = index(2).any(succeeded());
        let says = "Job has failed indexes";
        let failed = job().has(Failed.because("FailedIndexes").saying(says));
        Expectations::from([
            ("at first no index has failed", before(&index(1).any(stopped()), eventually(job().failed_indexes("")))),
            ("failed indexes are noted", eventually(job().failed_indexes("1,3"))),
            ("and not tried again", after(&index(1).any(stopped()), never(pods().created()))),
            ("the others are left alone", before(&last, never(index(2).any(stopping())))),
            ("nothing is decided before the last one", before(&last, never(job().has(FailureTarget)))),
            (
                "then the failure is declared",
                after(&last, eventually(job().has(FailureTarget.because("FailedIndexes").saying(says)))),
            ),
            ("and the Job fails for it", after(&last, eventually(failed.clone()))),
            (
                "with every index in its place",
                whenever(&failed, job().completed_indexes("0,2").and(job().failed_indexes("1,3")).and(job().failed(2))),
            ),
        ])
    }
}
