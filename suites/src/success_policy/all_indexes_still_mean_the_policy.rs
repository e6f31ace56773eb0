//! Policy and completions met at once.

use crate::words::*;

/// A Job with a policy whose indexes all succeed ends by its policy, not by its completions.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Evaluation",
                says: "a success with a policy has reason SuccessPolicy",
            },
            requirements: &["SUC-014", "SUC-011"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).succeeds_when(indexes("0,1"))).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the policy decides", eventually(job().has(SuccessCriteriaMet.because("SuccessPolicy")))),
            ("the completions do not", never(job().has(SuccessCriteriaMet.because("CompletionsReached")))),
            (
                "the end says the same",
                eventually(job().has(Complete.because("SuccessPolicy")).and(job().completed_indexes("0,1"))),
            ),
        ])
    }
}
