//! A Job that has used up its runs.

use crate::volcano_words::*;

/// On the last attempt what has ended is kept for whoever looks why.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "on the last attempt a restart keeps pods that ended, and the Job is Failed",
            &["VJ-149", "VJ-174", "VJ-186"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(2).policy(on("PodFailed", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.mark("second run").await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().is("Failed").and(pods().count(1))).await
    }

    fn expects(&self) -> Expectations {
        let second = passed("second run");
        Expectations::from([
            ("the first failure is taken away", before(&second, eventually(pods().that_are(failed()).count(1)))),
            (
                "there is none at the beginning of the second run",
                whenever(&second.clone().and(pods().running(2)), pods().that_are(failed()).count(0)),
            ),
            (
                "the second failure ends the Job",
                after(&second, eventually(job().is("Failed").and(job().retry_count(2)))),
            ),
            ("what failed stays", after(&job().is("Failed"), always(pods().that_are(failed().and(kept())).count(1)))),
            ("what ran is stopped", after(&job().is("Failed"), eventually(pods().count(1)))),
        ])
    }
}
