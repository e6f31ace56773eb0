//! A task that waits for one that ends.

use crate::volcano_words::*;

/// Pods that succeeded are as good as pods that are ready.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        let pods = PodNeeds::Played("no kubelet takes readiness from a pod on a word");
        let about = about(
            case_id!(),
            "spec fields",
            "a task is ready when enough of its pods succeeded or are ready",
            &["VJ-025", "VJ-232"],
        );
        About { needs: Needs { pods, ..about.needs }, ..about }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        let two = tasks(&[("a", 3), ("b", 1)]).min_available(1).task(0, "minAvailable", 2);
        scene.submit(two.task(1, "dependsOn", json!({"name": ["a"]}))).await?;
        scene.wait(pods().count(3)).await?;
        scene.pod_named("job-a-0").succeeds().await?;
        scene.pod_named("job-a-1").is_not_ready().await?;
        scene.linger(Duration::from_millis(700), "a pod that comes too early must have its chance").await?;
        scene.mark("the second one succeeds").await?;
        scene.pod_named("job-a-1").succeeds().await?;
        scene.wait(pods().that_are(of_task("b")).count(1)).await
    }

    fn expects(&self) -> Expectations {
        let b = pods().that_are(of_task("b"));
        let ready = passed("the second one succeeds");
        Expectations::from([
            ("a pod that runs and is not ready does not count", before(&ready, never(b.created()))),
            ("as many as the task needs are enough", after(&ready, eventually(b.count(1)))),
        ])
    }
}
