//! The order of rules.

use crate::words::*;

/// When several rules come true at once, the first of the list is named.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Design Details, evaluation",
                says: "rules are heard in order, and the first that is met decides",
            },
            requirements: &["SUC-001", "SUC-002"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene
            .submit(indexed(3).succeeds_when(indexes("2")).succeeds_when(indexes("0,1")).succeeds_when(any(2)))
            .await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let second = SuccessCriteriaMet.because("SuccessPolicy").saying("Matched rules at index 1");
        Expectations::from([
            ("the first rule that is met is named", eventually(job().has(second))),
            (
                "the later one is not",
                never(job().has(SuccessCriteriaMet.because("SuccessPolicy").saying("Matched rules at index 2"))),
            ),
            (
                "the end repeats it",
                eventually(job().has(Complete.because("SuccessPolicy").saying("Matched rules at index 1"))),
            ),
        ])
    }
}
