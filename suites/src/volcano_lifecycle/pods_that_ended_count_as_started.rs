//! A pod that ends before the others start.

use crate::volcano_words::*;

/// Pods that have ended count for whether a Job runs.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "the sync pass", "a Job runs when enough pods run or have ended", &["VJ-168"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.submit(gang(2)).await?;
        scene.wait(pods().count(2)).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.mark("the second pod may start").await?;
        scene.pod_named("job-w-1").runs().await?;
        scene.wait(job().is("Running")).await
    }

    fn expects(&self) -> Expectations {
        let second = passed("the second pod may start");
        Expectations::from([
            ("one pod is not enough", before(&second, never(job().is("Running")))),
            ("one that failed and one that runs are", eventually(job().is("Running").and(job().failed(1)))),
        ])
    }
}
