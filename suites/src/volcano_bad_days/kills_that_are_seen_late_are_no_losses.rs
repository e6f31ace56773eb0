//! A watch of pods that is behind while a Job is restarted.

use crate::volcano_words::*;

/// Pods that the controller has killed and whose end it sees late are no losses to act upon, and the restart is one restart.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::Watches,
            "from changes to events",
            "the end of pods that the controller killed is no event of a policy, however late it is seen",
            &["VJ-128", "VJ-138", "VJ-174"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let watchful =
            gang(2).max_retry(9).policy(on("PodFailed", "RestartJob")).policy(on("PodEvicted", "TerminateJob"));
        scene.submit(watchful).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.wire().holds_watches_of("pods").await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(pods().that_are(of_version(0)).count(0)).await?;
        scene.linger(Duration::from_secs(2), "the controller must act on what it does not know to be old").await?;
        scene.wire().releases_watches_of("pods").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.linger(Duration::from_secs(1), "an end that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let seen = passed("watches speak again: pods");
        Expectations::from([
            ("pods of the new version run", after(&seen, eventually(pods().that_are(of_version(1)).running(2)))),
            ("nobody takes the old ones for lost", never(job().is_one_of(&["Terminating", "Terminated"]))),
            ("it is one restart", never(job().version_at_least(2).or(job().retry_count_at_least(2)))),
            ("no pod is made a third time", after(&pods().that_are(of_version(1)).running(2), never(pods().created()))),
        ])
    }
}
