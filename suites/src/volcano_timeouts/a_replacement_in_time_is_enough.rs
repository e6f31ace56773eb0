//! A lost pod whose place is soon taken.

use crate::volcano_words::*;

/// A loss that is made good in time is not acted upon.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "timeouts", "a PodEvicted timer is cancelled when a pod of that name runs", &["VJ-197"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).policy(on_after("PodEvicted", "3s", "AbortJob"))).await?;
        scene.submit(gang(2).named("control").policy(on_after("PodFailed", "3s", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2)).and(job_named("control").is("Running"))).await?;
        scene.pod_named("job-w-0").is_deleted().await?;
        scene.mark("lost").await?;
        scene.wait(pods().running(1)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod_named("control-w-0").fails(1).await?;
        scene.wait(job_named("control").is("Aborted")).await?;
        scene.linger(Duration::from_secs(4), "an abort that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("a loss that is not made good is acted upon", eventually(job_named("control").is("Aborted"))),
            ("the pod comes anew", after(&pods().running(1), eventually(pods().running(2)))),
            ("the Job is not aborted", after(&passed("lost"), never(job().is_one_of(&["Aborting", "Aborted"])))),
        ])
    }
}
