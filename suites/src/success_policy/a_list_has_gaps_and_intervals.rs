//! A list of several intervals.

use crate::words::*;

/// A rule whose list has gaps is met when each of its intervals is full, and indexes in the gaps do not help.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Job API",
                says: "a rule with succeededIndexes is met when all of the listed indexes have succeeded",
            },
            requirements: &["SUC-002", "SUC-009"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(9).succeeds_when(indexes("0,2-3,5-7"))).await?;
        scene.wait(pods().running(9)).await?;
        for index in [0, 1, 2, 3, 4, 5, 7] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().completed_indexes("0-5,7")).await?;
        scene.mark("one of an interval is missing").await?;
        scene.pod(6).succeeds().await?;
        scene.wait(job().is_finished()).await?;
        // There one between the first and the last was missing, here it is the last.
        scene.submit(indexed(4).named("tail").succeeds_when(indexes("0-2"))).await?;
        scene.wait(pods().of("tail").running(4)).await?;
        for index in [0, 1] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job_named("tail").completed_indexes("0,1")).await?;
        scene.mark("the end of an interval is missing").await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job_named("tail").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let missing = passed("one of an interval is missing");
        let tail = job_named("tail").has(SuccessCriteriaMet.because("SuccessPolicy"));
        let end = passed("the end of an interval is missing");
        Expectations::from([
            ("indexes in the gaps do not help", before(&missing, never(met.clone()))),
            ("the last one of an interval decides", after(&missing, eventually(met.clone()))),
            ("an index that is not listed is stopped", after(&met, eventually(index(8).all(stopping())))),
            ("the Job is complete", eventually(job().has(Complete.because("SuccessPolicy")))),
            ("an interval reaches to its last index", before(&end, never(tail.clone()))),
            ("and no further", after(&end, eventually(tail))),
        ])
    }
}
