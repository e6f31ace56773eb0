//! Policies of a task beside those of its Job.

use crate::volcano_words::*;

/// A task's policies come first, and where none of them matches the Job's do.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "the policies of the task come before those of the Job, and do not take their place",
            &["VJ-027", "VJ-139"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let both = |name: &str| {
            gang(1).named(name).policy(on("PodEvicted", "AbortJob")).task_policy(0, on("PodFailed", "TerminateJob"))
        };
        scene.submit(both("falls-through")).await?;
        scene.submit(both("of-the-task")).await?;
        scene
            .submit(
                gang(1)
                    .named("both")
                    .policy(on("PodFailed", "AbortJob"))
                    .task_policy(0, on("PodFailed", "CompleteJob")),
            )
            .await?;
        scene
            .wait(
                job_named("falls-through")
                    .is("Running")
                    .and(job_named("of-the-task").is("Running"))
                    .and(job_named("both").is("Running")),
            )
            .await?;
        scene.pod_named("falls-through-w-0").is_deleted().await?;
        scene.pod_named("of-the-task-w-0").fails(1).await?;
        scene.pod_named("both-w-0").fails(1).await?;
        scene.wait(job_named("falls-through").is("Aborted").and(job_named("of-the-task").is("Terminated"))).await?;
        scene.wait(job_named("both").is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("what no policy of the task names is the Job's", eventually(job_named("falls-through").is("Aborted"))),
            ("what a policy of the task names is the task's", eventually(job_named("of-the-task").is("Terminated"))),
            ("where both name it the task's counts", eventually(job_named("both").is("Completed"))),
            ("and the Job's does not", never(job_named("both").is_one_of(&["Aborting", "Aborted"]))),
        ])
    }
}
