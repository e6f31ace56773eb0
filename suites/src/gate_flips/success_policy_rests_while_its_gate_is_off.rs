//! A success policy across off and on: the manual test of KEP-3998.

use crate::words::*;

/// While the gate is off a policy that is met decides nothing; once it is on again it decides at once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Upgrade / Downgrade Strategy",
                says: "a policy is not evaluated with the gate off, and is again with the gate on",
            },
            requirements: &["UPG-001", "UPG-003", "SUC-016", "SUC-017"],
            needs: Needs { flips: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(any(2))).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.change(Change::gate("JobSuccessPolicy", false)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("0,1")).await?;
        scene.linger(Duration::from_secs(2), "a controller that still knows the policy would decide now").await?;
        scene.change(Change::gate("JobSuccessPolicy", true)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (off, on) = (changed("JobSuccessPolicy off"), changing("JobSuccessPolicy on"));
        let declared = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        Expectations::from([
            (
                "the policy is met while the gate is off",
                after(&off, before(&on, eventually(job().completed_indexes("0,1")))),
            ),
            ("and decides nothing", before(&on, never(job().has(SuccessCriteriaMet).or(job().has(Complete))))),
            ("the third pod goes on running", before(&on, never(index(2).any(stopping())))),
            ("with the gate on again success is declared", after(&on, eventually(declared.clone()))),
            ("the third pod is told to stop", after(&on, eventually(index(2).any(stopping())))),
            (
                "the Job is complete by its policy",
                eventually(job().has(Complete.because("SuccessPolicy")).and(job().succeeded(2))),
            ),
            ("no index is started twice", after(&off, never(pods().created()))),
        ])
    }
}
