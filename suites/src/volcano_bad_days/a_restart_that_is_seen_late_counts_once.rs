//! A watch of Jobs that is behind while one is restarted.

use crate::volcano_words::*;

/// A controller that sees its own record of a restart late begins no second one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::Watches,
            "status",
            "a restart is counted once, however late its record is seen",
            &["VJ-109", "VJ-108", "VJ-116"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9).policy(on("PodFailed", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        // A controller that has not seen its own last write rightly waits for it.
        scene.linger(Duration::from_secs(1), "the controller must have seen that the Job runs").await?;
        scene.wire().holds_watches_of("jobs.batch.volcano.sh").await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().has_been("Restarting")).await?;
        scene.linger(Duration::from_secs(2), "the controller must act on what it does not know to be old").await?;
        scene.wire().releases_watches_of("jobs.batch.volcano.sh").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.linger(Duration::from_secs(1), "a second restart that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let seen = passed("watches speak again: jobs.batch.volcano.sh");
        Expectations::from([
            (
                "the restart is carried out",
                after(&seen, eventually(job().is("Running").and(pods().that_are(of_version(1)).running(2)))),
            ),
            ("one restart is counted", never(job().retry_count_at_least(2))),
            ("and one version", never(job().version_at_least(2))),
        ])
    }
}
