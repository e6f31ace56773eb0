//! A pod that succeeded and is deleted.

use crate::volcano_words::*;

/// A pod that succeeded is not run again because its object goes.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "a pod that succeeded has done its part, whatever becomes of the object",
            &["VJ-127"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).policy(on("PodEvicted", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.must(Write::delete_of(&Resource::PODS, "job-w-0")).await?;
        scene.wait(pods().count(1)).await?;
        scene.mark("the first pod is cleared away").await?;
        scene.linger(Duration::from_secs(1), "a pod that must not come needs its chance").await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is_one_of(&["Completed", "Aborted", "Failed"])).await
    }

    fn expects(&self) -> Expectations {
        let cleared = passed("the first pod is cleared away");
        Expectations::from([
            ("it is not run again", after(&cleared, never(pods().created()))),
            ("that is no loss", never(job().is_one_of(&["Aborting", "Aborted"]))),
            ("the Job completes", eventually(job().is("Completed"))),
        ])
        .known(known(&["it is not run again", "that is no loss", "the Job completes"], "volcano-sh/volcano#3296"))
    }
}
