//! A status write that is overtaken.

use crate::volcano_words::*;

/// A status that was computed before somebody scaled the Job is not written over what he changed.
pub struct This;

/// A change of the number of pods.
fn sized(replicas: u32) -> serde_json::Value {
    let mut sized = task("w", replicas);
    sized["minAvailable"] = 1.into();
    sized["maxRetry"] = 3.into();
    json!({"spec": {"minAvailable": 1, "tasks": [sized]}})
}

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "status",
            "a status is written only to the version that it was computed from",
            &["VJ-116", "VJ-226"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(job().is("Running").and(job().running(2))).await?;
        let held = scene.wire().meets(change_of("jobs.batch.volcano.sh/status"), Mishap::HeldBefore).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wire().met(&held, 1).await?;
        scene.patch("job", sized(4)).await?;
        scene.mark("overtaken").await?;
        scene.wire().releases(&held).await?;
        scene.wait(job().running(3).and(job().succeeded(1))).await?;
        for name in ["job-w-1", "job-w-2", "job-w-3"] {
            scene.pod_named(name).succeeds().await?;
        }
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        let overtaken = passed("overtaken");
        Expectations::from([
            (
                "the new size and the success are both heard",
                after(&overtaken, eventually(job().running(3).and(job().succeeded(1)))),
            ),
            ("how many pods it needs is told anew", after(&overtaken, eventually(job().min_available(1)))),
            ("the Job completes", eventually(job().is("Completed"))),
            ("no run is used up", never(job().retry_count_at_least(1))),
        ])
    }
}
