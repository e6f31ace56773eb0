//! A pod that is lost and has to wait for a place.

use crate::volcano_words::*;

/// A running Job with too few pods is Pending until it has enough again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "a running Job goes back to Pending when more pods wait than it can do without",
            &["VJ-125", "VJ-163", "VJ-173", "VJ-184"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(pods().running(2).and(job().is("Running"))).await?;
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.pod_named("job-w-0").is_deleted().await?;
        scene.wait(job().is("Pending")).await?;
        scene.pod_named("job-w-0").runs().await?;
        scene.wait(job().is("Running")).await
    }

    fn expects(&self) -> Expectations {
        let lost = pods().running(1);
        Expectations::from([
            ("the lost pod is made anew", after(&lost, eventually(pods().count(2)))),
            ("the Job is Pending again", after(&lost, eventually(job().is("Pending").and(job().pending(1))))),
            ("and runs again", after(&lost, eventually(job().is("Running").and(job().running(2))))),
            ("that is no retry", never(job().retry_count_at_least(1))),
            ("nor a new version", never(job().version_at_least(1))),
        ])
    }
}
