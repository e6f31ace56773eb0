//! A controller that dies before it can say what it has decided.

use crate::words::*;

/// When the controller is killed before the success is stored, the next one declares it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "job finish",
                says: "the decision is computed again from what is stored",
            },
            requirements: &["SUC-002", "SYN-026"],
            needs: Needs {
                gates: &["JobSuccessPolicy"],
                restarts_subject: true,
                faults: FaultNeeds::OwnRequests,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3)).await?;
        let matcher = change_of("jobs/status").saying("SuccessCriteriaMet");
        let held = scene.wire().meets(matcher, Mishap::HeldBefore).await?;
        scene.pod(0).succeeds().await?;
        scene.wire().met(&held, 1).await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("nothing is declared before", before(&again, never(job().has(SuccessCriteriaMet)))),
            ("the Job completes", after(&again, eventually(job().has(Complete)))),
            ("it never fails", never(job().has(FailureTarget))),
        ])
        .known(super::counts_its_own_stops(&["the Job completes", "it never fails"]))
    }
}
