//! A controller that is killed in the middle of a restart.

use crate::volcano_words::*;

/// A restart that was begun is finished by whoever comes next, and counted once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "status",
            "a controller that was killed finishes the restart that it had begun",
            &["VJ-108", "VJ-109", "VJ-177"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(gang(2).max_retry(9).policy(on("PodFailed", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        // A deletion that dies with its client may leave a pod half deleted, which nobody here would bring to its end.
        let one_is_left = pods().that_are(terminating()).count(1).and(pods().count(1));
        scene.wait(job().is("Restarting").and(one_is_left)).await?;
        scene.subject().crash().await?;
        scene.pod_named("job-w-1").is_let_go(End::Exited(1)).await?;
        scene.subject().restart().await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.linger(Duration::from_secs(1), "a second restart that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("pods of the new version come", after(&again, eventually(pods().that_are(of_version(1)).running(2)))),
            ("the Job runs", after(&again, eventually(job().is("Running").and(job().running(2))))),
            ("one restart is counted", never(job().retry_count_at_least(2))),
            ("and one version", never(job().version_at_least(2))),
        ])
    }
}
