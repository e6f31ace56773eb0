//! A suspended Job across off and on.

use crate::words::*;

/// A suspended Job with a success policy stays suspended across off and on, and ends by its policy when it is resumed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Upgrade / Downgrade Strategy",
                says: "Jobs that do not run are not touched by a switch of the gate",
            },
            requirements: &["UPG-001", "UPG-002"],
            needs: Needs { flips: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).succeeds_when(indexes("0")).suspended()).await?;
        scene.wait(job().has(Suspended)).await?;
        scene.change(Change::gate("JobSuccessPolicy", false)).await?;
        scene.submit(counted(1, 1).named("witness")).await?;
        scene.pod_of("witness").succeeds().await?;
        scene.wait(job_named("witness").is_finished()).await?;
        scene.change(Change::gate("JobSuccessPolicy", true)).await?;
        scene.mark("resuming").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let resuming = passed("resuming");
        let asleep = job().has(Suspended);
        Expectations::from([
            ("it is suspended with the gate on", before(&changing("JobSuccessPolicy off"), eventually(asleep.clone()))),
            (
                "others run with the gate off",
                before(&changing("JobSuccessPolicy on"), eventually(job_named("witness").has(Complete))),
            ),
            ("it has no pods until it is resumed", before(&resuming, never(pods().of("job").created()))),
            ("nor is it woken", before(&resuming, after(&asleep, always(asleep.clone())))),
            (
                "resumed, it ends by its policy",
                after(&resuming, eventually(job().has(Complete.because("SuccessPolicy")))),
            ),
        ])
    }
}
