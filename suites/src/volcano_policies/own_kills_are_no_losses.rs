//! A Job that kills its pods itself.

use crate::volcano_words::*;

/// Pods that the controller itself deletes are not lost.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "pods that the controller kills raise no PodEvicted",
            &["VJ-128", "VJ-150"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, action) in [("abort", "AbortJob"), ("terminate", "TerminateJob"), ("restart", "RestartJob")] {
            scene.submit(gang(2).named(name).max_retry(9).policy(on("PodEvicted", "CompleteJob"))).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(2))).await?;
            scene.order(name, action).await?;
        }
        let task = gang(2).named("task").max_retry(9).policy(on("PodEvicted", "CompleteJob"));
        scene.submit(task.task_policy(0, on("PodFailed", "RestartTask"))).await?;
        scene.wait(job_named("task").is("Running").and(pods_of("task").running(2))).await?;
        scene.pod_named("task-w-0").fails(1).await?;
        scene.wait(job_named("abort").is("Aborted").and(job_named("terminate").is("Terminated"))).await?;
        scene
            .wait(
                job_named("restart")
                    .is("Running")
                    .and(job_named("restart").retry_count(1))
                    .and(pods_of("restart").running(2)),
            )
            .await?;
        scene.wait(job_named("task").is("Running").and(pods_of("task").that_are(of_attempt(1)).running(2))).await?;
        scene.linger(Duration::from_secs(1), "an end that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let completes = |name: &'static str| never(job_named(name).is_one_of(&["Completing", "Completed"]));
        Expectations::from([
            ("an abort is one", eventually(job_named("abort").is("Aborted"))),
            ("and no loss", completes("abort")),
            ("an end is one", eventually(job_named("terminate").is("Terminated"))),
            ("and no loss either", completes("terminate")),
            ("a restart is one", eventually(job_named("restart").retry_count(1))),
            ("and nothing else", completes("restart")),
            ("so is that of a task", eventually(pods_of("task").that_are(of_attempt(1)).running(2))),
            ("which is nothing else either", completes("task")),
            (
                "every pod that was stopped was marked before",
                whenever(
                    &pods_of("abort").that_are(terminating()).at_least(1),
                    pods_of("abort").that_are(terminating()).all(killed()),
                ),
            ),
        ])
    }
}
