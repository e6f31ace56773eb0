//! Success beside failed indexes.

use crate::words::*;

/// A policy may be met although an index has failed for good.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Conflicts with other terminating policies",
                says: "a failed index alone does not keep the policy from being met",
            },
            requirements: &["SUC-012", "BLI-003", "BLI-006"],
            needs: Needs { gates: &["JobSuccessPolicy", "JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).backoff_limit_per_index(0).succeeds_when(any(1))).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(2).fails(1).await?;
        scene.wait(job().failed_indexes("2")).await?;
        scene.pod(0).succeeds().await?;
        // A pod that fails before the subject has let go of it would add its index to the failed ones.
        scene.wait(index(1).any(terminating()).and(index(1).all(untracked()))).await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let complete = job().has(Complete.because("SuccessPolicy"));
        Expectations::from([
            ("the failed index is known", eventually(job().failed_indexes("2"))),
            ("the policy is met all the same", eventually(job().has(SuccessCriteriaMet.because("SuccessPolicy")))),
            ("the Job is complete", eventually(complete.clone())),
            (
                "and remembers both",
                whenever(&complete, job().failed_indexes("2").and(job().completed_indexes("0")).and(job().failed(1))),
            ),
            ("it does not fail", never(job().has(FailureTarget).or(job().has(Failed)))),
        ])
    }
}
