//! A Job of which one pod is restarted.

use crate::volcano_words::*;

/// A restart of a pod leaves its neighbours alone.
pub struct This;

/// Release 1.15 deletes the group, and without one the Job may stay as it is.
const STUCK: &str = "the Job runs again";
const GROUP: &str = "the group stays";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "RestartPod deletes that pod only, and makes it anew",
            &["VJ-154"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).max_retry(9).policy(on("PodFailed", "RestartPod"))).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.mark("about to fail").await?;
        scene.pod_named("job-w-1").fails(1).await?;
        scene.wait(job().retry_count(1).and(job().is("Running")).and(pods().running(3))).await
    }

    fn expects(&self) -> Expectations {
        let failing = passed("about to fail");
        Expectations::from([
            ("the pod comes anew", after(&failing, eventually(pod("w", 1).that_are(of_attempt(1)).running(1)))),
            ("the first one runs on", after(&failing, always(pod("w", 0).running(1)))),
            ("the third one runs on", after(&failing, always(pod("w", 2).running(1)))),
            (GROUP, after(&failing, always(group().exists()))),
            ("no version is new", never(job().version_at_least(1))),
            ("one retry is counted", never(job().retry_count_at_least(2))),
            (STUCK, after(&failing, eventually(job().is("Running").and(job().retry_count(1))))),
        ])
        .known(known(&[STUCK, GROUP], "volcano-sh/volcano#5385"))
    }
}
