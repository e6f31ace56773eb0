//! A policy that names a number.

use crate::words::*;

/// A policy that names a number is met when so many indexes have succeeded, whichever they are.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Design Details, succeededCount",
                says: "a rule with a count alone is met by that many indexes",
            },
            requirements: &["SUC-003", "SUC-005", "SUC-006", "SUC-008"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).succeeds_when(any(2))).await?;
        scene.wait(pods().running(4)).await?;
        scene.pod(3).succeeds().await?;
        scene.wait(job().completed_indexes("3")).await?;
        scene.mark("one has succeeded").await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        Expectations::from([
            ("one is not enough", before(&passed("one has succeeded"), never(met.clone()))),
            ("two are", after(&passed("one has succeeded"), eventually(met.clone()))),
            ("the rest is stopped", after(&met, eventually(pods().all(stopping())))),
            (
                "the Job is complete with two of four",
                eventually(
                    job()
                        .has(Complete.because("SuccessPolicy"))
                        .and(job().completed_indexes("1,3"))
                        .and(job().succeeded(2)),
                ),
            ),
        ])
    }
}
