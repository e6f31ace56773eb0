//! A Job that waits for the queue, told one thing after another.

use crate::volcano_words::*;

/// A Job that waits obeys every order that there is for it.
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
        about_as_scheduler(
            case_id!(),
            "from changes to events",
            "a Pending Job is aborted, terminated, completed and restarted when it is told to",
            &["VJ-131", "VJ-175", "VJ-183", "VJ-301", "VJ-306", "VJ-308"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        for (name, action) in ORDERS {
            scene.submit(gang(1).named(name).max_retry(9)).await?;
            scene.wait(job_named(name).is("Pending").and(group_of(name).exists())).await?;
            scene.order(name, action).await?;
        }
        scene.mark("all orders are given").await?;
        scene.wait(job_named("abort").is("Aborted").and(job_named("terminate").is("Terminated"))).await?;
        scene.wait(job_named("complete").is("Completed").and(job_named("restart").retry_count(1))).await?;
        scene.wait(job_named("restart").is("Pending").and(commands().count(0))).await?;
        scene.linger(Duration::from_millis(500), "what other orders must not do needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let over = |name: &'static str, phase: &'static str| eventually(job_named(name).is(phase));
        let quiet = |name: &'static str| {
            always(job_named(name).is_one_of(&["Pending"]).or(job_named(name).has_been("Pending").negated()))
        };
        Expectations::from([
            ("AbortJob leads to Aborted", over("abort", "Aborted")),
            ("TerminateJob leads to Terminated", over("terminate", "Terminated")),
            ("CompleteJob leads to Completed", over("complete", "Completed")),
            ("RestartJob counts as a retry", eventually(job_named("restart").retry_count(1))),
            ("and leads back to Pending", after(&job_named("restart").retry_count(1), over("restart", "Pending"))),
            ("ResumeJob does nothing", quiet("resume")),
            ("SyncJob does nothing", quiet("sync")),
            ("a word that nobody knows does nothing", quiet("unknown")),
            ("every order is taken", after(&passed("all orders are given"), eventually(commands().count(0)))),
            ("no pod is ever made", never(pods().created())),
        ])
    }
}
