//! Jobs with a time to live.

use crate::volcano_words::*;

/// A finished Job goes when its time is over, however it ended.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "Completed, Failed and Terminated Jobs are deleted when their time to live is over; 0 means at once",
            &["VJ-018", "VJ-236"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, ttl) in [("completed", 0), ("failed", 0), ("terminated", 0), ("later", 3), ("never", 3600)] {
            scene.submit(gang(1).named(name).spec("ttlSecondsAfterFinished", ttl)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(1))).await?;
        }
        scene.pod_named("completed-w-0").succeeds().await?;
        scene.pod_named("later-w-0").succeeds().await?;
        scene.pod_named("never-w-0").succeeds().await?;
        scene.pod_named("failed-w-0").fails(1).await?;
        scene.order("terminated", "TerminateJob").await?;
        scene
            .wait(
                job_named("completed")
                    .is_gone()
                    .and(job_named("failed").is_gone())
                    .and(job_named("terminated").is_gone()),
            )
            .await?;
        scene.wait(job_named("later").is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let goes = |name: &'static str, phase: &'static str| {
            after(&job_named(name).is(phase), eventually(job_named(name).is_gone()))
        };
        Expectations::from([
            ("a Completed one goes", goes("completed", "Completed")),
            ("a Failed one goes", goes("failed", "Failed")),
            ("a Terminated one goes", goes("terminated", "Terminated")),
            (
                "not before its time",
                after(
                    &job_named("later").is("Completed"),
                    // Times are told in whole seconds, and a watch may tell of an end late. To the second it is V15 that judges.
                    never_within(
                        Duration::from_secs(1),
                        job_named("later").is_deleting().or(job_named("later").is_gone()),
                    ),
                ),
            ),
            ("but then", goes("later", "Completed")),
            ("one with much time ends, too", eventually(job_named("never").is("Completed"))),
            (
                "but stays",
                after(
                    &job_named("never").is("Completed"),
                    never(job_named("never").is_deleting().or(job_named("never").is_gone())),
                ),
            ),
            (
                "its pods go first",
                whenever(
                    &job_named("later").is_deleting(),
                    job_named("later").object("waits for its pods".to_owned(), |job| {
                        job.metadata.finalizers.iter().flatten().any(|one| one == "foregroundDeletion")
                    }),
                ),
            ),
        ])
    }
}
