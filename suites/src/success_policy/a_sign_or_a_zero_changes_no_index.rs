//! How the numbers of a rule may be written.

use crate::words::*;

/// A rule that lists `+1,02` means the indexes 1 and 2: what the API server took as numbers are numbers.
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
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).succeeds_when(indexes("+1,02"))).await?;
        scene.wait(pods().running(4)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let complete = job().has(Complete.because("SuccessPolicy").saying("Matched rules at index 0"));
        Expectations::from([
            ("the Job gets its pods", eventually(pods().count(4))),
            ("the listed indexes are enough", eventually(declared.clone())),
            ("neither is alone", whenever(&declared, job().completed_indexes("1,2"))),
            ("the Job then is complete", after(&declared, eventually(complete))),
            ("the Job does not also fail", never(job().has(Failed))),
        ])
    }
}
