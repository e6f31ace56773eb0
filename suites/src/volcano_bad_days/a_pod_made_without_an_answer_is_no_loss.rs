//! Pods that are made, and nobody says so.

use crate::volcano_words::*;

/// When the answer to a creation is lost, the pod is there all the same; it is taken for what it is, and nothing is restarted.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "the sync pass",
            "a pod that is there already is no error, and no pod is made for it",
            &["VJ-164", "VJ-163", "VJ-168"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let lost = scene.wire().meets(creation_of("pods"), Mishap::AnswerLost).await?;
        scene.submit(gang(3).policy(on("PodEvicted", "TerminateJob")).policy(on("PodFailed", "RestartJob"))).await?;
        scene.wire().met(&lost, 1).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        for name in ["job-w-0", "job-w-1", "job-w-2"] {
            scene.pod_named(name).succeeds().await?;
        }
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("each pod is made once", after(&job().is("Running"), never(pods().created()))),
            ("the Job completes in its first version", eventually(job().is("Completed"))),
            ("nothing is killed", never(pods().that_are(killed()).at_least(1).or(job().version_at_least(1)))),
            ("no run is used up", never(job().retry_count_at_least(1))),
        ])
    }
}
