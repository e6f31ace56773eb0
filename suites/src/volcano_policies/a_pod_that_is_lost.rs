//! What a deleted pod can mean.

use crate::volcano_words::*;

/// Each action that the loss of a pod may have is done, once.
pub struct This;

/// Names of Jobs, and the action that each has for the event.
const ACTIONS: [(&str, &str); 5] = [
    ("abort", "AbortJob"),
    ("terminate", "TerminateJob"),
    ("complete", "CompleteJob"),
    ("restart", "RestartJob"),
    ("task", "RestartTask"),
];

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "a policy on PodEvicted does its action, once",
            &["VJ-127", "VJ-139", "VJ-176"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, action) in ACTIONS {
            scene.submit(gang(2).named(name).policy(on("PodEvicted", action))).await?;
        }
        for (name, _) in ACTIONS {
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(2))).await?;
            scene.pod_named(&format!("{name}-w-0")).is_deleted().await?;
        }
        scene.wait(job_named("abort").is("Aborted").and(job_named("terminate").is("Terminated"))).await?;
        scene.wait(job_named("complete").is("Completed")).await?;
        for name in ["restart", "task"] {
            scene
                .wait(job_named(name).is("Running").and(job_named(name).retry_count(1)).and(pods_of(name).running(2)))
                .await?;
        }
        scene.linger(Duration::from_secs(1), "a second retry that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let over = |name: &'static str, phase: &'static str| eventually(job_named(name).is(phase));
        let again = |name: &'static str| eventually(job_named(name).is("Running").and(job_named(name).retry_count(1)));
        Expectations::from([
            ("AbortJob leads to Aborted", over("abort", "Aborted")),
            (
                "by way of Aborting",
                before(&job_named("abort").is("Aborted"), eventually(job_named("abort").is("Aborting"))),
            ),
            ("TerminateJob leads to Terminated", over("terminate", "Terminated")),
            ("CompleteJob leads to Completed", over("complete", "Completed")),
            ("RestartJob leads back to Running", again("restart")),
            ("by way of Restarting", eventually(job_named("restart").is("Restarting"))),
            ("with a new version", eventually(job_named("restart").version(1))),
            ("RestartTask leads back to Running", again("task")),
            ("in the same version", never(job_named("task").version_at_least(1))),
            (
                "one event is one retry",
                never(job_named("restart").retry_count_at_least(2).or(job_named("task").retry_count_at_least(2))),
            ),
        ])
    }
}
