//! A restart whose pods stop slowly.

use crate::volcano_words::*;

/// A Job that restarts is Restarting until enough places are free.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "the sync pass",
            "a Restarting Job is Pending once as many pods as it needs have a place again",
            &["VJ-105", "VJ-165", "VJ-174"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(gang(3).min_available(2).max_retry(9)).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(job().is("Restarting").and(pods().that_are(terminating()).count(3))).await?;
        scene.wait(job().terminating(3)).await?;
        scene.pod_named("job-w-0").is_let_go(End::Exited(143)).await?;
        scene.wait(pods().that_are(terminating()).count(2)).await?;
        scene.linger(Duration::from_millis(500), "a phase that comes too early needs its chance").await?;
        scene.mark("two places are free").await?;
        scene.pod_named("job-w-1").is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_one_of(&["Pending", "Running"])).await?;
        scene.pod_named("job-w-2").is_let_go(End::Exited(143)).await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(3))).await
    }

    fn expects(&self) -> Expectations {
        let (free, going) = (passed("two places are free"), pods().that_are(terminating()).count(3));
        Expectations::from([
            ("pods that go do not run", after(&going, eventually(job().terminating(3).and(job().running(0))))),
            (
                "with one free place it is Restarting",
                after(&job().is("Restarting"), before(&free, always(job().is("Restarting")))),
            ),
            ("with two it is Pending", after(&free, eventually(job().is("Pending")))),
            (
                "in the end it runs",
                after(&free, eventually(job().is("Running").and(pods().that_are(of_version(1)).running(3)))),
            ),
        ])
    }
}
