//! A controller that is away while a time runs.

use crate::volcano_words::*;

/// A time that runs while the controller is away is over when it is over.
pub struct This;

/// Volcano keeps times in memory.
const DONE: &str = "then it is";

impl Case for This {
    fn about(&self) -> About {
        about_restarts(case_id!(), "timeouts", "a timer survives a restart of the controller", &["VJ-195", "VJ-199"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).policy(on_after("PodFailed", "4s", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        scene.wait_up_to(Duration::from_secs(15), job().is("Aborted")).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            (
                "nothing is done before the time is over",
                after(
                    &pods().that_are(failed()).count(1),
                    never_within(Duration::from_millis(3800), job().is("Aborting")),
                ),
            ),
            (DONE, after(&again, eventually(job().is("Aborted")))),
        ])
        .known(known(&[DONE], "VJ-199: times are kept in memory"))
    }
}
