//! A failure that is in the ledger while its pod cannot be let go of.

use crate::words::*;

/// With a pod failure policy as without one, a failed pod that the status lists already is not listed once more when its finalizer could
/// not be removed at first.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "Tracking",
                says: "a pod is added to the ledger once, whatever happens until it is counted",
            },
            requirements: &["FIN-002", "FIN-003", "FIN-009", "PFP-009"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2).backoff_limit(6).when_a_pod(exits(&[13]).ignore())).await?;
        scene.wait(job().ready(2)).await?;
        let refused = scene.wire().meets(change_of("pods").times(1), Mishap::refused(500)).await?;
        scene.some_pod().ends(End::exited_long_ago(1)).await?;
        scene.wire().met(&refused, 1).await?;
        scene.wait(job().failed(1).and(job().ready(2))).await?;
        for _ in 0..2 {
            scene.some_pod().succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let twice = job().status("lists a pod twice".to_owned(), |status| {
            let failed = status.uncounted_terminated_pods.iter().flat_map(|ledger| ledger.failed.iter().flatten());
            failed.clone().enumerate().any(|(at, uid)| failed.clone().take(at).any(|before| before == uid))
        });
        Expectations::from([
            ("the failure is counted", eventually(job().failed(1))),
            ("once", never(job().failed_at_least(2))),
            ("and listed once", never(twice)),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
