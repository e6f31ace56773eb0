//! A policy with a time.

use crate::volcano_words::*;

/// What a policy with a time asks for is done when that time is over.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "timeouts", "an action with a timeout runs after it, not at once", &["VJ-195"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).policy(on_after("PodFailed", "2s", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.mark("failed").await?;
        scene.wait(job().is("Aborted")).await
    }

    fn expects(&self) -> Expectations {
        let (failed, aborting) = (passed("failed"), job().is("Aborting"));
        Expectations::from([
            (
                "not before its time",
                after(
                    &pods().that_are(self::failed()).count(1),
                    never_within(Duration::from_millis(1800), aborting.clone()),
                ),
            ),
            ("and then soon", after(&failed, eventually_within(Duration::from_secs(8), aborting))),
            ("to the end", after(&failed, eventually(job().is("Aborted")))),
        ])
    }
}
