//! A suspended Job across a change of version.

use crate::words::*;

/// A suspended Job stays suspended while Kubernetes is changed, and runs when it is resumed afterwards.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Upgrade / Downgrade Strategy",
                says: "suspension is in the spec and outlives the controller",
            },
            requirements: &["UPG-017", "SUS-003"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).suspended()).await?;
        scene.wait(job().has(Suspended)).await?;
        scene.change_version().await?;
        scene.submit(counted(1, 1).named("witness")).await?;
        scene.pod_of("witness").succeeds().await?;
        scene.wait(job_named("witness").is_finished()).await?;
        scene.mark("resuming").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let resuming = passed("resuming");
        Expectations::from([
            ("it is suspended before", before(&changing("the other Kubernetes"), eventually(job().has(Suspended)))),
            ("the controller works again", before(&resuming, eventually(job_named("witness").has(Complete)))),
            ("and starts no pod of it", before(&resuming, never(pods().of("job").created()))),
            (
                "resumed, it says so",
                after(&resuming, eventually(job().has(Suspended.is_false().because("JobResumed")))),
            ),
            ("and runs to its end", after(&resuming, eventually(job().has(Complete)))),
        ])
    }
}
