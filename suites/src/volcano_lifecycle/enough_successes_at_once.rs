//! A number of successes that is enough.

use crate::volcano_words::*;

/// A Job with enough successes is Completed at once, and what still runs is stopped.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "a Job whose least number of successes is reached is Completed at once, and the rest is killed",
            &["VJ-020", "VJ-170"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).spec("minSuccess", 2)).await?;
        scene.wait(pods().running(3).and(job().is("Running"))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed")).await?;
        scene.wait(pods().count(2)).await
    }

    fn expects(&self) -> Expectations {
        let completed = job().is("Completed");
        Expectations::from([
            ("one success is not enough", before(&pods().that_are(succeeded()).count(2), never(job().is_finished()))),
            ("two are", eventually(completed.clone())),
            ("while the third pod runs", before(&completed, eventually(pods().running(1)))),
            ("which is stopped", after(&completed, eventually(pods().count(2)))),
            ("what succeeded stays", after(&completed, always(pods().that_are(succeeded()).count(2)))),
        ])
    }
}
