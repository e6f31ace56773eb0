//! A Job that is deleted while the controller is away.

use crate::volcano_words::*;

/// Nothing is made for a Job that is gone when the controller is back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "kill and target semantics",
            "a controller that starts makes nothing for Jobs that are gone or going",
            &["VJ-157"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).plugin("svc", &[])).await?;
        scene.submit(gang(1).named("stays")).await?;
        scene.wait(job().is("Running").and(pods().running(2)).and(job_named("stays").is("Running"))).await?;
        scene.subject().crash().await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone()).await?;
        scene.subject().restart().await?;
        scene.wait(pods().count(0)).await?;
        scene.pod_named("stays-w-0").succeeds().await?;
        scene.wait(job_named("stays").is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("its pods go", after(&again, eventually(pods().count(0)))),
            ("no pod is made", after(&again, never(pods().created()))),
            ("the other Job goes on", after(&again, eventually(job_named("stays").is("Completed")))),
        ])
    }
}
