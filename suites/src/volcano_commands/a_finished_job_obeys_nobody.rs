//! Jobs that are done, told to do something.

use crate::volcano_words::*;

/// A Job that is done stays so, whatever it is told.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(case_id!(), "transition table", "Completed, Failed and Terminated Jobs stay so", &["VJ-182"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for name in ["completed", "failed", "terminated"] {
            scene.submit(gang(1).named(name)).await?;
            scene.wait(job_named(name).is("Running")).await?;
        }
        scene.pod_named("completed-w-0").succeeds().await?;
        scene.pod_named("failed-w-0").fails(1).await?;
        scene.order("terminated", "TerminateJob").await?;
        scene.wait(job_named("completed").is("Completed").and(job_named("failed").is("Failed"))).await?;
        scene.wait(job_named("terminated").is("Terminated")).await?;
        for name in ["completed", "failed", "terminated"] {
            for action in
                ["ResumeJob", "RestartJob", "RestartTask", "AbortJob", "TerminateJob", "CompleteJob", "SyncJob", "Foo"]
            {
                scene.order(name, action).await?;
            }
        }
        scene.wait(commands().count(0)).await?;
        scene.linger(Duration::from_secs(1), "what orders must not do needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("Completed is the end", stable(&job_named("completed").is("Completed"))),
            ("Failed is the end", stable(&job_named("failed").is("Failed"))),
            ("Terminated is the end", stable(&job_named("terminated").is("Terminated"))),
            (
                "pods that ended stay",
                stable(
                    &pods_of("completed").that_are(succeeded()).count(1).and(job_named("completed").is("Completed")),
                ),
            ),
            (
                "no group comes back",
                after(
                    &job_named("terminated").is("Terminated").and(group_of("terminated").is_absent()),
                    always(group_of("terminated").is_absent()),
                ),
            ),
        ])
    }
}
