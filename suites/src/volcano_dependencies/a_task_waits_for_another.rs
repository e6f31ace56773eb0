//! A task that depends on another.

use crate::volcano_words::*;

/// A task gets its pods when the task that it waits for is ready.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "pods of a task are created when the tasks that it depends on are ready",
            &["VJ-030", "VJ-231", "VJ-232"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene
            .submit(tasks(&[("a", 2), ("b", 2)]).min_available(2).task(1, "dependsOn", json!({"name": ["a"]})))
            .await?;
        scene.wait(pods().count(2)).await?;
        scene.pod_named("job-a-0").runs().await?;
        scene.wait(pods().running(1)).await?;
        scene.linger(Duration::from_millis(700), "pods that come too early must have their chance").await?;
        scene.mark("the second one runs").await?;
        scene.pod_named("job-a-1").runs().await?;
        scene.wait(pods().that_are(of_task("b")).count(2)).await
    }

    fn expects(&self) -> Expectations {
        let b = pods().that_are(of_task("b"));
        let ready = passed("the second one runs");
        Expectations::from([
            ("one of two pods is not enough", before(&ready, never(b.created()))),
            ("two are", after(&ready, eventually(b.count(2)))),
        ])
    }
}
