//! A task that is restarted when one of its pods is lost.

use crate::volcano_words::*;

/// The restart of a task is not itself a loss that restarts it again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "RestartTask for a lost pod happens once",
            &["VJ-127", "VJ-128", "VJ-154"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).max_retry(5).policy(on("PodEvicted", "RestartTask"))).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.pod_named("job-w-1").is_deleted().await?;
        scene
            .wait(job().retry_count(1).and(job().is("Running")).and(pods().that_are(of_attempt(1)).running(3)))
            .await?;
        scene.linger(Duration::from_secs(2), "a second restart that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("all pods of the task come anew", eventually(pods().that_are(of_attempt(1)).running(3))),
            ("once", never(job().retry_count_at_least(2))),
            ("the Job does not fail", never(job().is("Failed"))),
        ])
    }
}
