//! A decision of one version, carried out by the other.

use crate::words::*;

/// A success that is declared before Kubernetes is changed ends the Job after it, for the same reason.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Upgrade / Downgrade Strategy",
                says: "what is declared in the status is carried out by whoever reads it",
            },
            requirements: &["UPG-004", "UPG-018", "UPG-019"],
            needs: Needs {
                gates: &["JobSuccessPolicy"],
                one_gate_of: DELAYED_END,
                other_version: Some(Neighbour::Any),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().has(SuccessCriteriaMet).and(pods().that_are(terminating()).count(2))).await?;
        scene.change_version().await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.pod(2).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let over = changed("the other Kubernetes");
        Expectations::from([
            ("success is declared before", before(&changing("the other Kubernetes"), eventually(declared.clone()))),
            ("and never taken back", stable(&declared)),
            ("the Job waits for its pods", before(&over, never(job().is_finished()))),
            (
                "and is complete for the same reason",
                after(&over, eventually(job().has(Complete.because("SuccessPolicy")))),
            ),
            ("no pod is started", after(&declared, never(pods().created()))),
        ])
    }
}
