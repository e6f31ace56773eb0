//! A success that was declared before the gate goes off.

use crate::words::*;

/// A success that its policy has declared ends the Job also when the gate goes off before the last pod has stopped.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Feature Enablement and Rollback",
                says: "what was declared with the gate on is carried out with the gate off",
            },
            requirements: &["UPG-001", "UPG-002"],
            needs: Needs { flips: &["JobSuccessPolicy"], one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(2).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().has(SuccessCriteriaMet).and(index(1).any(terminating()))).await?;
        scene.change(Change::gate("JobSuccessPolicy", false)).await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await?;
        scene.change(Change::gate("JobSuccessPolicy", true)).await
    }

    fn expects(&self) -> Expectations {
        let (off, on) = (changed("JobSuccessPolicy off"), changing("JobSuccessPolicy on"));
        let declared = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let complete = job().has(Complete.because("SuccessPolicy"));
        Expectations::from([
            (
                "success is declared with the gate on",
                before(&changing("JobSuccessPolicy off"), eventually(declared.clone())),
            ),
            ("it is never taken back", stable(&declared)),
            ("the Job waits for its last pod", before(&off, never(job().is_finished()))),
            (
                "and is complete with the gate off, for the same reason",
                after(&off, before(&on, eventually(complete.clone()))),
            ),
            ("for good", stable(&complete)),
            ("no pod is started meanwhile", after(&declared, never(pods().created()))),
        ])
    }
}
