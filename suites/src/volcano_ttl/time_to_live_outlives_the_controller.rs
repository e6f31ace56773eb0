//! A controller that is away when a time is over.

use crate::volcano_words::*;

/// A Job whose time is over goes when the controller is back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_restarts(case_id!(), "TTL", "times to live are found again at the start", &["VJ-236"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).spec("ttlSecondsAfterFinished", 2)).await?;
        scene.submit(gang(1).named("long").spec("ttlSecondsAfterFinished", 3600)).await?;
        scene.wait(job().is("Running").and(job_named("long").is("Running"))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("long-w-0").succeeds().await?;
        scene.wait(job().is("Completed").and(job_named("long").is("Completed"))).await?;
        scene.subject().crash().await?;
        scene.linger(Duration::from_secs(3), "the time is over while nobody watches").await?;
        scene.subject().restart().await?;
        scene.wait(job().is_gone()).await?;
        scene.linger(Duration::from_millis(500), "a deletion that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("the one goes", after(&again, eventually(job().is_gone()))),
            ("the other stays", never(job_named("long").is_deleting())),
        ])
    }
}
