//! A task that is no longer ready.

use crate::volcano_words::*;

/// What a task waits for counts when it begins, and not afterwards.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "scaling, dependencies, partitions",
            "dependencies are looked at when pods are created, and never again",
            &["VJ-231"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene
            .submit(tasks(&[("a", 1), ("b", 2)]).min_available(2).task(1, "dependsOn", json!({"name": ["a"]})))
            .await?;
        scene.wait(pods().running(3).and(job().is("Running"))).await?;
        scene.mark("all run").await?;
        scene.pod_named("job-a-0").fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.linger(Duration::from_millis(500), "an end that must not come needs its chance").await?;
        scene.pod_named("job-b-0").succeeds().await?;
        scene.pod_named("job-b-1").succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let b = pods().that_are(of_task("b"));
        Expectations::from([
            ("both come after the first runs", before(&pods().that_are(of_task("a")).running(1), never(b.created()))),
            ("they stay when it fails", after(&passed("all run"), always(b.count(2)))),
            ("and the Job ends with them", eventually(job().is("Completed"))),
        ])
    }
}
