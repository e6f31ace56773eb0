//! A Job that was aborted.

use crate::volcano_words::*;

/// An aborted Job can be resumed, and nothing else.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "transition table", "an Aborted Job stays so unless it is resumed", &["VJ-179", "VJ-308"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(job().is("Running")).await?;
        scene.order("job", "AbortJob").await?;
        scene.wait(job().is("Aborted").and(pods().count(0))).await?;
        scene.mark("aborted").await?;
        for action in ["TerminateJob", "CompleteJob", "RestartJob", "RestartTask", "SyncJob", "AbortJob", "Foo"] {
            scene.order("job", action).await?;
        }
        scene.wait(commands().count(0)).await?;
        scene.linger(Duration::from_millis(500), "what other orders must not do needs its chance").await?;
        scene.mark("about to resume").await?;
        scene.order("job", "ResumeJob").await?;
        scene.wait(job().is("Running").and(pods().running(2))).await
    }

    fn expects(&self) -> Expectations {
        let resumed = passed("about to resume");
        Expectations::from([
            (
                "no other order changes its phase",
                after(&passed("aborted"), before(&resumed, always(job().is("Aborted")))),
            ),
            ("or makes pods", after(&passed("aborted"), before(&resumed, never(pods().created())))),
            ("it has no group", after(&passed("aborted"), before(&resumed, always(group().is_absent())))),
            ("ResumeJob leads by way of Restarting", after(&resumed, eventually(job().is("Restarting")))),
            ("and Pending", after(&resumed, eventually(job().is("Pending")))),
            ("back to Running", after(&resumed, eventually(job().is("Running").and(pods().running(2))))),
        ])
    }
}
