//! What restarts in place can mean.

use crate::volcano_words::*;

/// Containers that were restarted as often as their task allows make the task fail.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "TaskFailed is raised when the containers of a task were restarted as often as it allows",
            &["VJ-029", "VJ-126"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let policy = || on("TaskFailed", "TerminateJob");
        let often = |name: &str, limit: u32| {
            gang(2).named(name).policy(policy()).task(0, "maxRetry", limit).pod_spec(0, "restartPolicy", "OnFailure")
        };
        scene.submit(often("over", 3)).await?;
        scene.submit(often("below", 4)).await?;
        scene.wait(pods_of("over").running(2).and(pods_of("below").running(2))).await?;
        scene.wait(job_named("over").is("Running").and(job_named("below").is("Running"))).await?;
        for name in ["below", "over"] {
            scene.pod_named(&format!("{name}-w-0")).is_restarted(2).await?;
            scene.pod_named(&format!("{name}-w-1")).is_restarted(1).await?;
        }
        scene.wait(job_named("over").is("Terminated")).await?;
        scene.linger(Duration::from_secs(1), "an end that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the restarts of all its pods are counted together", eventually(job_named("over").is("Terminated"))),
            ("below the limit nothing happens", never(job_named("below").is_one_of(&["Terminating", "Terminated"]))),
            (
                "no pod has failed for that",
                never(pods_of("over").that_are(failed()).at_least(1).and(job_named("over").is("Running"))),
            ),
        ])
    }
}
