//! A pod that fails while no controller is there.

use crate::volcano_words::*;

/// A failure that happened while the controller was away has its consequences.
pub struct This;

/// Volcano sees a pod that has failed, and no failure.
const RESTARTED: &str = "the Job is restarted";

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "timeouts",
            "a policy whose event happened while the controller was down is acted upon when it is back",
            &["VJ-202"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9).policy(on("PodFailed", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(job().running(2))).await?;
        scene.subject().crash().await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.subject().restart().await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            (RESTARTED, after(&again, eventually(job().retry_count(1).and(pods().that_are(of_version(1)).running(2))))),
            ("once", never(job().retry_count_at_least(2))),
        ])
        .known(known(&[RESTARTED], "volcano-sh/volcano#3967"))
    }
}
