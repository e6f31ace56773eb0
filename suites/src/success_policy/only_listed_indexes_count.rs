//! A policy with a number and a list.

use crate::words::*;

/// A rule with both a list and a count is met by that many of the listed indexes, not of all.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Design Details, both fields",
                says: "with both fields only the listed indexes are counted",
            },
            requirements: &["SUC-004"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(6).succeeds_when(some_of(3, "1-4"))).await?;
        scene.wait(pods().running(6)).await?;
        for index in [1, 3, 5] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().completed_indexes("1,3,5")).await?;
        scene.mark("three have succeeded").await?;
        scene.pod(4).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        Expectations::from([
            ("three successes are counted", eventually(job().completed_indexes("1,3,5").and(job().succeeded(3)))),
            ("but one of them is not on the list", before(&passed("three have succeeded"), never(met.clone()))),
            ("the third of the list decides", after(&passed("three have succeeded"), eventually(met))),
            ("the Job is complete", eventually(job().has(Complete.because("SuccessPolicy")))),
        ])
    }
}
