//! A controller that is killed while a Job runs.

use crate::volcano_words::*;

/// What happened while nobody watched is counted, and nothing is done twice.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "the sync pass",
            "a controller that was killed goes on where the Job is",
            &["VJ-165", "VJ-171"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3)).await?;
        scene.wait(job().is("Running").and(job().running(3))).await?;
        scene.subject().crash().await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.subject().restart().await?;
        scene.wait(job().succeeded(2)).await?;
        scene.pod_named("job-w-2").succeeds().await?;
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            (
                "what succeeded meanwhile is counted",
                after(&again, eventually(job().succeeded(2).and(job().running(1)))),
            ),
            ("no pod is made again", after(&again, never(pods().created()))),
            ("the Job completes", after(&again, eventually(job().is("Completed")))),
            ("in its first version", never(job().version_at_least(1))),
        ])
    }
}
