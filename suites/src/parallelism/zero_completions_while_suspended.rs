//! Nothing to do, and not yet allowed to do it.

use crate::words::*;

/// A suspended Job of zero completions is complete without a pod.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#132614",
                says: "a Job with nothing to do completes, suspended or not",
            },
            requirements: &["PAR-020"],
            needs: Needs { gates: &["JobSuccessPolicy"], binaries_since: Some(Minor::new(1, 34)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(0, 1).suspended()).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("it is complete", eventually(job().has(Complete.because("CompletionsReached")))),
            ("without a pod", never(pods().created())),
        ])
    }
}
