//! A Job that is told to end while its pods still stop for a restart.

use crate::volcano_words::*;

/// What a Job is told while it restarts is done.
pub struct This;

/// Names of Jobs, and the order that each is given.
const ORDERS: [(&str, &str); 4] =
    // What ends nothing shows its effect only later, so it comes first.
    [("again", "RestartJob"), ("abort", "AbortJob"), ("terminate", "TerminateJob"), ("complete", "CompleteJob")];
/// Volcano takes these orders off the API and does what it was doing.
const ABORT: &str = "AbortJob is heard";
const TERMINATE: &str = "TerminateJob is heard";
const COMPLETE: &str = "CompleteJob is heard";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "transition table",
            "orders that come while a Job is Restarting are not lost",
            &["VJ-177", "VJ-188"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        for (name, action) in ORDERS {
            scene.submit(gang(1).named(name).max_retry(9)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(1))).await?;
            scene.order(name, "RestartJob").await?;
            scene.wait(job_named(name).is("Restarting")).await?;
            scene.order(name, action).await?;
            scene.wait(commands().count(0)).await?;
        }
        scene.linger(Duration::from_millis(500), "orders that are taken need a moment to be done").await?;
        for (name, _) in ORDERS {
            scene.pod_named(&format!("{name}-w-0")).is_let_go(End::Exited(143)).await?;
        }
        scene.wait(job_named("again").is("Running")).await?;
        scene.wait(job_named("abort").is_one_of(&["Aborted", "Running"])).await?;
        scene.wait(job_named("terminate").is_one_of(&["Terminated", "Running"])).await?;
        scene.wait(job_named("complete").is_one_of(&["Completed", "Running"])).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (ABORT, eventually(job_named("abort").is("Aborted"))),
            (TERMINATE, eventually(job_named("terminate").is("Terminated"))),
            (COMPLETE, eventually(job_named("complete").is("Completed"))),
            (
                "a second restart is part of the first",
                eventually(job_named("again").is("Running").and(job_named("again").retry_count(1))),
            ),
            ("and counts once", never(job_named("again").retry_count_at_least(2))),
        ])
        .known(known(&[ABORT, TERMINATE, COMPLETE], "VJ-188: no report known"))
    }
}
