//! Pods that cannot be stopped for a while.

use crate::words::*;

/// A suspension whose deletions are refused is carried out as soon as they are taken.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "suspend",
                says: "pods of a suspended Job are deleted, and errors are tried again",
            },
            requirements: &["SUS-002", "PAR-012", "SYN-005"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        let outage = scene.wire().meets(deletion_of("pods").times(3), Mishap::refused(503)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wire().met(&outage, 3).await?;
        scene.wait(job().has(Suspended).and(pods().count(0))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the Job is suspended without pods", eventually(job().has(Suspended).and(pods().count(0)))),
            ("nothing has failed", never(job().failed_at_least(1))),
            ("the Job is not finished by that", never(job().is_finished())),
        ])
    }
}
