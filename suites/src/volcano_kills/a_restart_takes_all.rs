//! A Job that is restarted with pods in every phase.

use crate::volcano_words::*;

/// A restart of a Job takes pods that have ended, too.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "RestartJob deletes all pods, and makes all of them anew in a new version",
            &["VJ-148", "VJ-163", "VJ-244", "VJ-264"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).max_retry(9)).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").fails(1).await?;
        scene.wait(job().succeeded(1).and(job().failed(1))).await?;
        scene.mark("about to restart").await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(3))).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("about to restart");
        Expectations::from([
            (
                "it is Restarting",
                after(&again, eventually(job().is("Restarting").and(job().version(1).and(job().retry_count(1))))),
            ),
            ("all pods come anew", after(&again, eventually(pods().that_are(of_version(1)).count(3)))),
            ("which say which retry they are", after(&again, eventually(pods().that_are(of_attempt(1)).count(3)))),
            ("no pod of the old version is left", after(&again, eventually(pods().that_are(of_version(0)).count(0)))),
            (
                "no pod of the old version is made",
                after(&job().version(1), never(pods().that_are(of_version(0)).created())),
            ),
            ("there is a new group", after(&again, eventually(pod_groups().created()))),
            (
                "the counters begin again",
                after(&again, eventually(job().is("Running").and(job().running(3)).and(job().failed(0)))),
            ),
        ])
    }
}
