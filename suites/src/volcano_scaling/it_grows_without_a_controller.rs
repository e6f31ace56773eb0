//! A Job that changes its size while no controller is there.

use crate::volcano_words::*;

/// A size that changed while the controller was away is what the Job comes to have.
pub struct This;

/// A change of the number of pods, and of how many are needed.
fn sized(replicas: u32, min: u32) -> serde_json::Value {
    let mut sized = task("w", replicas);
    sized["minAvailable"] = min.into();
    sized["maxRetry"] = 3.into();
    json!({"spec": {"minAvailable": min, "tasks": [sized]}})
}

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "the sync pass",
            "the controller makes the size so that it finds at its start",
            &["VJ-163", "VJ-226", "VJ-227"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.submit(gang(3).named("shrinks")).await?;
        scene
            .wait(
                job()
                    .is("Running")
                    .and(pods().running(2))
                    .and(job_named("shrinks").is("Running"))
                    .and(pods_of("shrinks").running(3)),
            )
            .await?;
        scene.subject().crash().await?;
        scene.patch("job", sized(3, 3)).await?;
        scene.patch("shrinks", sized(1, 1)).await?;
        scene.subject().restart().await?;
        scene.wait(pods().running(3).and(pods_of("shrinks").count(1))).await?;
        scene.wait(job().running(3).and(job_named("shrinks").running(1))).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("the one gets its pod", after(&again, eventually(pod("w", 2).running(1)))),
            ("the other loses two", after(&again, eventually(pods_of("shrinks").count(1)))),
            ("pods that stay run on", after(&again, always(pod("w", 0).running(1).and(pod("w", 1).running(1))))),
            (
                "both groups know",
                after(&again, eventually(group().min_member(3).and(group_of("shrinks").min_member(1)))),
            ),
        ])
    }
}
