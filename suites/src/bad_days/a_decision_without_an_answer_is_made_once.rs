//! A success that is declared, and nobody says so.

use crate::words::*;

/// When the answer to the write that declares the success is lost, the Job is found decided and goes on from there.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "job finish",
                says: "the decision is in the status; whoever syncs next goes on from it",
            },
            requirements: &["SUC-002", "SYN-024", "STA-001"],
            needs: Needs { gates: &["JobSuccessPolicy"], faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3)).await?;
        let lost =
            scene.wire().meets(change_of("jobs/status").saying("SuccessCriteriaMet"), Mishap::AnswerLost).await?;
        scene.pod(0).succeeds().await?;
        scene.wire().met(&lost, 1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let decided = job().has(SuccessCriteriaMet);
        Expectations::from([
            ("the Job completes", eventually(job().has(Complete))),
            ("the decision stays", stable(&decided)),
            ("it never fails", never(job().has(FailureTarget))),
            ("no pod is made for what is decided", after(&decided, never(pods().created()))),
        ])
    }
}
