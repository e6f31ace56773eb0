//! Pods that wait for a place, but not for too long.

use crate::volcano_words::*;

/// A pod that starts in time is not acted upon.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "timeouts", "a PodPending timer is cancelled when the pod goes on", &["VJ-197"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.submit(gang(2).policy(on_after("PodPending", "3s", "AbortJob"))).await?;
        scene.submit(gang(1).named("late").policy(on_after("PodPending", "3s", "AbortJob"))).await?;
        scene.wait(pods().count(2)).await?;
        scene.pod_named("job-w-0").runs().await?;
        scene.pod_named("job-w-1").runs().await?;
        scene.wait(job().is("Running")).await?;
        scene.wait(job_named("late").is("Aborted")).await?;
        scene.linger(Duration::from_secs(2), "an abort that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("pods that started in time are left alone", never(job().is_one_of(&["Aborting", "Aborted"]))),
            ("a pod that did not is acted upon", eventually(job_named("late").is("Aborted"))),
        ])
    }
}
