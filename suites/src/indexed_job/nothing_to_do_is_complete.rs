//! No completions at all.

use crate::words::*;

/// A Job of zero completions is complete without a pod; KEP-2214 asks for a number above zero, the API does not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "completions of zero",
                says: "a Job with nothing to do completes at once and makes no pod",
            },
            requirements: &["PAR-019", "VAL-003", "IDX-020"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(0)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("it is complete", eventually(job().has(Complete.because("CompletionsReached")))),
            ("without a pod", never(pods().created())),
            (
                "with a start and an end",
                whenever(
                    &job().has(Complete),
                    job().has_started().and(
                        job().status("has a completion time".to_owned(), |status| status.completion_time.is_some()),
                    ),
                ),
            ),
        ])
    }
}
