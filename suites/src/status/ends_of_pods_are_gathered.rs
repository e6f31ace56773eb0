//! Many pods that end one after the other.

use crate::words::*;

/// News of pods are gathered for a second: a status is not written for each pod that ends.
pub struct This;

/// As many as the Job wants.
const PODS: i32 = 24;
/// Fast enough that several end in a second, slow enough that whoever writes for each pod sees each by itself.
const APART: Duration = Duration::from_millis(150);
/// Until all run and are counted, and once all is done.
const APART_FROM_ENDS: usize = 8;
/// A look each second, and what it takes to record what ended, to let go of it, and to count it.
const A_SECOND: u64 = 4;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "event handlers",
                says: "pods that end in a burst cost one look a second",
            },
            requirements: &["SYN-003", "STA-008"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(24, 24)).await?;
        scene.wait(pods().running(24).and(job().ready(PODS))).await?;
        for _ in 0..PODS {
            scene.some_pod().succeeds().await?;
            scene.linger(APART, "each end must be seen by itself").await?;
        }
        scene.wait(job().has(Complete)).await
    }

    fn expects(&self) -> Expectations {
        let (update, patch) = (requests("update", "jobs/status"), requests("patch", "jobs/status"));
        let fast = |writes: RequestWord| writes.faster_than(APART_FROM_ENDS, A_SECOND);
        Expectations::from([
            ("the status is written", eventually(update.at_least(3).or(patch.at_least(3)))),
            ("not for each pod that ends", never(fast(update).or(fast(patch)))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(PODS)))),
        ])
    }
}
