//! Status writes that conflict.

use crate::volcano_words::*;

/// A status write that is refused with a conflict is computed anew, and nothing of what it would have said is lost.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "status",
            "a status write that conflicts is tried again from what is there now",
            &["VJ-116", "VJ-165", "VJ-190"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(job().is("Running").and(job().running(2))).await?;
        let conflicts =
            scene.wire().meets(change_of("jobs.batch.volcano.sh/status").times(2), Mishap::refused(409)).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wire().met(&conflicts, 2).await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the Job completes", eventually(job().is("Completed"))),
            ("it never fails", never(job().is_one_of(&["Failed", "Terminating", "Terminated"]))),
            ("no run is used up", never(job().retry_count_at_least(1))),
            ("no pod is made again", after(&job().running(2), never(pods().created()))),
        ])
    }
}
