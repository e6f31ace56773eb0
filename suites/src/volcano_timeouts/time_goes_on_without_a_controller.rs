//! A controller that is away while a time runs.

use crate::volcano_words::*;

/// A time that runs while the controller is away is over when it is over.
pub struct This;

/// Volcano keeps times in memory.
const DONE: &str = "then it is";
const IN_TIME: &str = "what is due while nobody looks is done when it is due";
/// Seven seconds, one that `finishedAt` does not tell of, and three to look; a time that began anew would take twelve.
const AT_LAST: Duration = Duration::from_secs(11);

impl Case for This {
    fn about(&self) -> About {
        about_restarts(case_id!(), "timeouts", "a timer survives a restart of the controller", &["VJ-195", "VJ-199"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).policy(on_after("PodFailed", "7s", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.subject().crash().await?;
        scene.linger(Duration::from_secs(5), "the time goes on while nobody looks").await?;
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
                    never_within(Duration::from_millis(6800), job().is("Aborting")),
                ),
            ),
            (
                IN_TIME,
                after(
                    &pods().that_are(failed()).count(1),
                    eventually_within(AT_LAST, job().is_one_of(&["Aborting", "Aborted"])),
                ),
            ),
            (DONE, after(&again, eventually(job().is("Aborted")))),
        ])
        .known(known(&[IN_TIME, DONE], "VJ-199: times are kept in memory"))
    }
}
