//! A Job that runs, told one thing after another.

use crate::volcano_words::*;

/// A running Job obeys every order that there is for it.
pub struct This;

/// Names of Jobs, and the order that each is given.
const ORDERS: [(&str, &str); 7] = [
    ("abort", "AbortJob"),
    ("terminate", "TerminateJob"),
    ("complete", "CompleteJob"),
    ("restart", "RestartJob"),
    ("resume", "ResumeJob"),
    ("sync", "SyncJob"),
    ("unknown", "Foo"),
];

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "status",
            "a Running Job is aborted, terminated, completed and restarted when it is told to",
            &["VJ-108", "VJ-135", "VJ-176", "VJ-301", "VJ-303", "VJ-306"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, action) in ORDERS {
            scene.submit(gang(2).named(name).max_retry(9)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(2))).await?;
            scene.order(name, action).await?;
        }
        scene.wait(job_named("abort").is("Aborted").and(job_named("terminate").is("Terminated"))).await?;
        scene.wait(job_named("complete").is("Completed").and(job_named("restart").retry_count(1))).await?;
        scene
            .wait(job_named("restart").is("Running").and(pods_of("restart").running(2)).and(commands().count(0)))
            .await?;
        scene.linger(Duration::from_millis(500), "what other orders must not do needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let over = |name: &'static str, phase: &'static str| eventually(job_named(name).is(phase));
        let quiet = |name: &'static str| after(&pods_of(name).running(2), always(pods_of(name).running(2)));
        let said = "Start to execute command AbortJob, and clean it up to make sure executed not more than once.";
        Expectations::from([
            ("AbortJob leads to Aborted", over("abort", "Aborted")),
            (
                "AbortJob is told in an event",
                eventually(notice("CommandIssued").saying(said).on("Job.batch.volcano.sh/abort").was_written()),
            ),
            (
                "no pod of an aborted Job runs",
                after(&job_named("abort").is("Aborted"), always(pods_of("abort").running(0))),
            ),
            ("TerminateJob leads to Terminated", over("terminate", "Terminated")),
            ("CompleteJob leads to Completed", over("complete", "Completed")),
            (
                "RestartJob counts as a retry and a version",
                eventually(job_named("restart").retry_count(1).and(job_named("restart").version(1))),
            ),
            ("and leads back to Running", after(&job_named("restart").retry_count(1), over("restart", "Running"))),
            ("once", never(job_named("restart").retry_count_at_least(2))),
            ("ResumeJob does nothing to pods", quiet("resume")),
            ("SyncJob does nothing to pods", quiet("sync")),
            ("a word that nobody knows does nothing to pods", quiet("unknown")),
        ])
    }
}
