//! A task that waits for any of several.

use crate::volcano_words::*;

/// A task may wait for any of several tasks, or for all of them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "with iteration any one ready task is enough, and else all must be",
            &["VJ-030", "VJ-231"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        let four = tasks(&[("a", 1), ("b", 1), ("any", 1), ("all", 1)]).min_available(1);
        let four = four.task(2, "dependsOn", json!({"name": ["a", "b"], "iteration": "any"}));
        scene.submit(four.task(3, "dependsOn", json!({"name": ["a", "b"], "iteration": "every"}))).await?;
        scene.wait(pods().count(2)).await?;
        scene.pod_named("job-b-0").runs().await?;
        scene.wait(pods().that_are(of_task("any")).count(1)).await?;
        scene.linger(Duration::from_millis(500), "a pod that comes too early must have its chance").await?;
        scene.mark("the other one runs").await?;
        scene.pod_named("job-a-0").runs().await?;
        scene.wait(pods().that_are(of_task("all")).count(1)).await
    }

    fn expects(&self) -> Expectations {
        let (any, all) = (pods().that_are(of_task("any")), pods().that_are(of_task("all")));
        let both = passed("the other one runs");
        Expectations::from([
            (
                "nobody starts before anybody is ready",
                before(&pods().running(1), never(any.created().or(all.created()))),
            ),
            ("one is enough for the one", after(&pods().running(1), eventually(any.count(1)))),
            ("and not for the other", before(&both, never(all.created()))),
            ("which waits for both", after(&both, eventually(all.count(1)))),
        ])
    }
}
