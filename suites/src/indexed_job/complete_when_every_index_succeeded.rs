//! The end of an Indexed Job.

use crate::words::*;

/// An Indexed Job is complete when each of its indexes has succeeded, and not before.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Job completion",
                says: "the Job is complete when every index has a successful pod",
            },
            requirements: &["IDX-016", "IDX-017", "IDX-018", "IDX-020", "SUC-013", "PAR-004", "STA-004"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(2).succeeds().await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0,2")).await?;
        scene.mark("one index left").await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let reached = "Reached expected number of succeeded pods";
        let met = job().has(SuccessCriteriaMet.because("CompletionsReached").saying(reached));
        let complete = job().has(Complete.because("CompletionsReached").saying(reached));
        Expectations::from([
            (
                "two indexes are counted while the third runs",
                eventually(job().completed_indexes("0,2").and(job().active(1))),
            ),
            ("two of three are not enough", before(&passed("one index left"), never(job().has(SuccessCriteriaMet)))),
            ("with the last index the decision is made", after(&passed("one index left"), eventually(met))),
            ("and the Job is complete", eventually(complete.clone())),
            ("with all indexes", whenever(&complete, job().completed_indexes("0-2").and(job().succeeded(3)))),
            (
                "the list of uncounted pods never holds a success",
                always(
                    job().exists().negated().or(job()
                        .status("has no uncounted success".to_owned(), |status| {
                            status
                                .uncounted_terminated_pods
                                .as_ref()
                                .is_none_or(|pods| pods.succeeded.iter().flatten().next().is_none())
                        })
                        .or(job().has_started().negated())),
                ),
            ),
        ])
    }
}
