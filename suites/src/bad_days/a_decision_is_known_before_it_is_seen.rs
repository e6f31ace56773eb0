//! A success that is declared, before a watch says so.

use crate::words::*;

/// A controller that has declared a success starts nothing for the Job, although its watch still shows it undecided while the pods show
/// that they have been counted.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#130683",
                says: "a Job is not looked at before the own last write to it is seen",
            },
            requirements: &["SUC-002", "SYN-021"],
            needs: Needs { gates: &["JobSuccessPolicy"], faults: FaultNeeds::Watches, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3).and(job().ready(3))).await?;
        scene.linger(Duration::from_secs(2), "what follows the last write is seen within a second").await?;
        scene.wire().holds_watches_of("jobs").await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().has(SuccessCriteriaMet)).await?;
        scene.linger(Duration::from_secs(3), "a pod that must not come needs its chance").await?;
        scene.wire().releases_watches_of("jobs").await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let held = passed("watches held: jobs");
        let seen = passed("watches speak again: jobs");
        Expectations::from([
            ("the success is declared unseen", before(&seen, after(&held, eventually(job().has(SuccessCriteriaMet))))),
            ("no pod is started any more", after(&held, never(pods().created()))),
            (
                "the Job completes once it is seen",
                after(&seen, eventually(job().has(Complete).and(job().succeeded(1)))),
            ),
            ("it never fails", never(job().has(FailureTarget))),
        ])
        .known(super::UNDECIDED_IN_ITS_EYES)
    }
}
