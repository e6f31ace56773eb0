//! The action that ends an index.

use crate::words::*;

/// A FailIndex rule fails the pod's index at the first try, whatever its limit, and leaves the others running.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "FailIndex action",
                says: "the action fails the index before its limit is reached",
            },
            requirements: &["PFP-011", "BLI-003", "BLI-006", "BLI-007", "BLI-009"],
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit_per_index(5).when_a_pod(exits(&[42]).fail_index())).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).ends(End::exited_long_ago(42)).await?;
        scene.wait(job().failed_indexes("0")).await?;
        // The rule is not for this code: the index may try again.
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let given_up = index(0).any(failed());
        let failed = job().has(Failed.because("FailedIndexes"));
        let bounded = job().object("has a bounded backoff limit".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.backoff_limit != Some(i32::MAX))
        });
        Expectations::from([
            ("the index is given up", after(&given_up, eventually(job().failed_indexes("0").and(job().failed(1))))),
            ("and not tried again", after(&given_up, never(index(0).created()))),
            ("another code's index is", after(&given_up, eventually(index(1).created()))),
            ("the Job fails when both are at their end", eventually(failed.clone())),
            (
                "with one index failed, one complete",
                whenever(&failed, job().failed_indexes("0").and(job().completed_indexes("1"))),
            ),
            ("both failures were counted", whenever(&failed, job().failed(2))),
            ("the limit of the whole Job is out of the way", never(bounded)),
        ])
    }
}
