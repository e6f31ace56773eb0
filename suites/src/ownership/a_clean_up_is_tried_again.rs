//! Pods of a Job that is gone, and a server that does not listen at once.

use crate::words::*;

/// When letting go of a pod of a deleted Job is refused, it is tried again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#141346",
                says: "the clean-up after a Job that is gone is tried again after an error",
            },
            requirements: &["FIN-013", "FIN-012", "SYN-028"],
            needs: Needs { faults: FaultNeeds::OwnRequests, stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // Nothing of the pod changes by itself: whoever gives up hears no more of it.
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1)).await?;
        scene.wait(job().ready(1)).await?;
        let outage = scene.wire().meets(change_of("pods").times(3), Mishap::refused(500)).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wire().met(&outage, 3).await?;
        scene.wait(pods().all(untracked())).await?;
        scene.mark("nothing is held").await?;
        scene.some_pod().is_let_go(End::Exited(143)).await?;
        scene.wait(pods().count(0)).await
    }

    fn expects(&self) -> Expectations {
        let (there, gone) = (job().ready(1), job().is_gone());
        Expectations::from([
            ("the Job goes", after(&there, eventually(gone.clone()))),
            ("its pod stays for a while", after(&gone, eventually(pods().any(terminating())))),
            ("letting go of it is refused", eventually(requests("patch", "pods").that_are_refused().at_least(3))),
            ("in the end it is let go of", before(&passed("nothing is held"), eventually(pods().any(untracked())))),
            ("and gone", after(&passed("nothing is held"), eventually(pods().count(0)))),
        ])
    }
}
