//! A number of successes that is not reached.

use crate::volcano_words::*;

/// A Job that cannot reach its number of successes is Failed, however few pods it needs.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "the sync pass",
            "a Job whose pods have all ended without enough successes is Failed",
            &["VJ-171"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).spec("minSuccess", 2).min_available(1)).await?;
        scene.wait(pods().running(2).and(job().is("Running"))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").fails(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "it has as many successes as it needs pods",
                eventually(pods().that_are(succeeded()).count(1).and(job().min_available(1))),
            ),
            ("it is Failed", eventually(job().is("Failed"))),
            ("and never Completed", never(job().is("Completed"))),
        ])
    }
}
