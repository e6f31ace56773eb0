//! A finalizer that cannot be removed when a Job is suspended.

use crate::words::*;

/// When the server refuses to let go of a pod of a Job that is suspended, the pod is let go of later, and still counts as nothing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "active pods of a suspended Job are deleted and not counted",
            },
            requirements: &["SUS-002", "SUS-006", "PAR-017", "PAR-018"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(job().ready(2)).await?;
        let refused = scene.wire().meets(change_of("pods").times(1), Mishap::refused(500)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wire().met(&refused, 1).await?;
        scene.wait(job().has(Suspended).and(pods().count(0))).await?;
        scene.linger(Duration::from_secs(1), "a late count must have its chance").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().ready(2)).await?;
        for _ in 0..2 {
            scene.some_pod().succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let suspended = job().has(Suspended.because("JobSuspended"));
        Expectations::from([
            ("the Job is suspended", eventually(suspended.clone())),
            ("all its pods go", after(&suspended, eventually(pods().count(0)))),
            ("no stopped pod is a failure", never(job().failed_at_least(1))),
            ("the Job does not fail", never(job().has(FailureTarget))),
            ("and completes once it is resumed", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
