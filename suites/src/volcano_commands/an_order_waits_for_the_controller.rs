//! Orders that come while no controller is there.

use crate::volcano_words::*;

/// An order that comes while the controller is away is done once, when it is back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "commands",
            "orders posted while the controller is down are done at its start, at most once",
            &["VJ-302", "VJ-333"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).named("restart").max_retry(9)).await?;
        scene.submit(gang(1).named("abort")).await?;
        scene.wait(job_named("restart").is("Running").and(job_named("abort").is("Running"))).await?;
        scene.wait(pods_of("restart").running(1).and(pods_of("abort").running(1))).await?;
        scene.subject().crash().await?;
        scene.order("restart", "RestartJob").await?;
        scene.order("abort", "AbortJob").await?;
        scene.subject().restart().await?;
        scene.wait(job_named("abort").is("Aborted").and(job_named("restart").retry_count(1))).await?;
        scene.wait(job_named("restart").is("Running").and(pods_of("restart").running(1))).await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        scene.linger(Duration::from_secs(1), "a second execution needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("nothing is done while nobody is there", before(&again, never(job_named("abort").is("Aborting")))),
            ("an abort is done", after(&again, eventually(job_named("abort").is("Aborted")))),
            ("a restart is done", after(&again, eventually(job_named("restart").retry_count(1)))),
            ("once", never(job_named("restart").retry_count_at_least(2).or(job_named("restart").version_at_least(2)))),
            ("and the orders are gone", after(&again, eventually(commands().count(0)))),
        ])
    }
}
