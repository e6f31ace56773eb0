//! A controller that is killed before its gate is switched.

use crate::words::*;

/// Pods that end while no controller runs are counted once, also when the next controller has another gate.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Upgrade / Downgrade Strategy",
                says: "no pod is lost or counted twice across off and on",
            },
            requirements: &["UPG-001", "UPG-003"],
            needs: Needs { flips: &["JobSuccessPolicy"], restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(any(2))).await?;
        scene.wait(pods().running(3)).await?;
        scene.subject().crash().await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.change(Change::gate("JobSuccessPolicy", false)).await?;
        scene.wait(job().completed_indexes("0,1")).await?;
        scene.subject().crash().await?;
        scene.pod(2).succeeds().await?;
        scene.change(Change::gate("JobSuccessPolicy", true)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (off, on) = (changing("JobSuccessPolicy off"), changing("JobSuccessPolicy on"));
        Expectations::from([
            ("nobody counts while nobody is there", before(&off, never(job().succeeded(1).or(job().succeeded(2))))),
            ("with the gate off both are counted", after(&off, before(&on, eventually(job().succeeded(2))))),
            ("and decide nothing", before(&on, never(job().has(SuccessCriteriaMet)))),
            (
                "the last is counted with the gate on",
                after(&on, eventually(job().completed_indexes("0-2").and(job().succeeded(3)))),
            ),
            ("the Job is complete", after(&on, eventually(job().has(Complete)))),
            ("no index is started twice", after(&off, never(pods().created()))),
        ])
    }
}
