//! Both limits at once.

use crate::words::*;

/// A backoff limit of the whole Job holds beside the limit per index, and ends the Job before any index has failed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Job API",
                says: "the limit of the Job may be set too, and then both are kept",
            },
            requirements: &["BLI-009", "BKO-001", "BKO-004", "BKO-005"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).backoff_limit_per_index(2).backoff_limit(1)).await?;
        scene.wait(pods().running(3)).await?;
        // A failed pod is counted when its replacement is there; long ago means at once.
        scene.pod(0).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed(1)).await?;
        scene.pod(1).fails(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let second = index(1).any(stopped());
        let says = "Job has reached the specified backoff limit";
        let failed = job().has(Failed.because("BackoffLimitExceeded").saying(says));
        Expectations::from([
            ("one failure is within both limits", before(&second, never(job().has(FailureTarget)))),
            (
                "two are too many for the Job",
                after(&second, eventually(job().has(FailureTarget.because("BackoffLimitExceeded")))),
            ),
            ("which fails", after(&second, eventually(failed.clone()))),
            ("with both pods that still ran among the failures", whenever(&failed, job().failed(4))),
            ("no index has used up its own limit", whenever(&failed, job().failed_indexes(""))),
        ])
    }
}
