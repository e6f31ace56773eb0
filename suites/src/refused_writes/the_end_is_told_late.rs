//! An end that cannot be told at once.

use super::needs;
use crate::words::*;

/// When the write that would call a Job complete is refused once, the Job waits as it is, and is complete later; its event waits, too.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "what was declared stays, and its end follows",
            },
            requirements: &["SUC-009", "SUC-010", "STA-002", "STA-019", "EVT-005", "EVT-009"],
            needs: needs(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        // With a status still to come, 1.35 may look at an old one, and count the pods that it stops (docs/differences.md).
        scene.wait(pods().running(3).and(job().ready(3))).await?;
        let veto = scene.refuse(Veto::of_condition(Complete)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished().and(notice("Completed").was_written())).await
    }

    fn expects(&self) -> Expectations {
        let (refused, met) = (passed("a write was refused"), job().has(SuccessCriteriaMet.because("SuccessPolicy")));
        let told = || notice("Completed").on("Job/job");
        Expectations::from([
            ("success is declared before", before(&refused, eventually(met.clone()))),
            ("and stays", stable(&met)),
            ("the Job is complete later", after(&refused, eventually(job().has(Complete.because("SuccessPolicy"))))),
            ("then its end is told", eventually(told().saying("Job completed").was_written())),
            ("not at the write that was refused", before(&job().has(Complete), never(told().was_written()))),
            ("and not once for each attempt", never(told().more_than(1))),
            ("it does not fail", never(job().has(Failed))),
            ("no stopped pod is counted", never(job().failed_at_least(1))),
        ])
    }
}
