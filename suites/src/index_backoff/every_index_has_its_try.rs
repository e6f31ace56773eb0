//! Indexes that fail beside others.

use crate::words::*;

/// All indexes run to their end though some fail, also the one that had to wait for a place: a failed index leaves its own to the
/// next. Then the Job fails for those that failed.
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
            requirements: &["BLI-003", "BLI-004", "BLI-005", "BLI-006", "BLI-007", "PAR-001"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(7).parallelism(4).backoff_limit_per_index(0)).await?;
        // Pods are there before the first status is written, and may run for long before.
        scene.wait(pods().running(4).and(job().failed_indexes(""))).await?;
        // So long ago that any delay is over: what is not tried again now never is.
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.pod(3).ends(End::exited_long_ago(1)).await?;
        // Nobody has succeeded yet: the failed indexes made room for these two.
        scene.wait(job().failed_indexes("1,3").and(index(4).running(1)).and(index(5).running(1))).await?;
        // The failed ones are known for long when this one makes room for the last.
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0").and(index(6).running(1))).await?;
        for index in [4, 5, 6] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().completed_indexes("0,4-6")).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let last = index(2).any(succeeded());
        let first_done = index(0).any(succeeded());
        let (first_failed, fifth) = (index(1).any(stopped()), index(4).at_least(1));
        let says = "Job has failed indexes";
        let failed = job().has(Failed.because("FailedIndexes").saying(says));
        Expectations::from([
            ("at first no index has failed", before(&first_failed, eventually(job().failed_indexes("")))),
            ("failed indexes are noted", eventually(job().failed_indexes("1,3"))),
            ("and not tried again", after(&first_failed, never(index(1).created().or(index(3).created())))),
            ("the index that waits gets a place", after(&first_failed, eventually(index(4).created()))),
            ("and so does the next when one succeeds", after(&first_done, eventually(index(6).created()))),
            ("the first of them keeps it", after(&fifth, never(index(4).count(0)))),
            ("nobody is told to stop", never(pods().any(terminating()))),
            ("nothing is decided before the last one", before(&last, never(job().has(FailureTarget)))),
            (
                "then the failure is declared",
                after(&last, eventually(job().has(FailureTarget.because("FailedIndexes").saying(says)))),
            ),
            ("and the Job fails for it", after(&last, eventually(failed.clone()))),
            (
                "with every index in its place",
                whenever(
                    &failed,
                    job().completed_indexes("0,2,4-6").and(job().failed_indexes("1,3")).and(job().failed(2)),
                ),
            ),
        ])
    }
}
