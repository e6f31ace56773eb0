//! Pods that find no place.

use crate::volcano_words::*;

/// Waiting is an event only for policies with a time.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "PodPending matches only an entry with a timeout",
            &["VJ-121", "VJ-142"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.submit(gang(1).named("no-time").policy(on("PodPending", "AbortJob"))).await?;
        scene.submit(gang(1).named("in-time").policy(on_after("PodPending", "1s", "AbortJob"))).await?;
        scene.wait(pods_of("no-time").count(1)).await?;
        scene.wait(job_named("in-time").is("Aborted")).await?;
        scene.pod_named("no-time-w-0").runs().await?;
        scene.wait(job_named("no-time").is("Running")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("a policy with a time is done", eventually(job_named("in-time").is("Aborted"))),
            ("a policy without one is not", never(job_named("no-time").is_one_of(&["Aborting", "Aborted"]))),
            ("and its Job runs in the end", eventually(job_named("no-time").is("Running"))),
        ])
    }
}
