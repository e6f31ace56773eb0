//! A success that cannot be declared at once.

use crate::words::*;

/// When the write that would declare the success is refused, the controller declares it with the next one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "job finish",
                says: "errors of the API are tried again with a growing delay",
            },
            requirements: &["SUC-002", "SYN-005", "SUC-023"],
            needs: Needs { gates: &["JobSuccessPolicy"], faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3)).await?;
        let matcher = change_of("jobs/status").saying("SuccessCriteriaMet");
        let outage = scene.wire().meets(matcher, Mishap::refused(503)).await?;
        scene.pod(0).succeeds().await?;
        scene.wire().met(&outage, 1).await?;
        scene.mark("the outage is over").await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let over = passed("the outage is over");
        // The mark may come after what follows the outage.
        let write = |verb| requests(verb, "jobs/status").that_are_refused().at_least(1);
        let refused = write("update").or(write("patch"));
        Expectations::from([
            ("the Job does not end meanwhile", before(&refused, never(job().is_finished()))),
            (
                "the Job completes soon after",
                after(&over, eventually_within(Duration::from_secs(20), job().has(Complete))),
            ),
            ("it never fails", never(job().has(FailureTarget))),
        ])
        .known(super::counts_its_own_stops(&["the Job completes soon after", "it never fails"]))
    }
}
