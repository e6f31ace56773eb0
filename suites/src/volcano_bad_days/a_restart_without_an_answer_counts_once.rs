//! A restart that is on record, and nobody says so.

use crate::volcano_words::*;

/// When the answer to the write that tells of a restart is lost, the restart is found begun, and is carried out once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "status",
            "a restart whose record went unanswered is neither forgotten nor counted twice",
            &["VJ-109", "VJ-108", "VJ-138", "VJ-174"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9).policy(on("PodFailed", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        let record = change_of("jobs.batch.volcano.sh/status").saying("Restarting");
        let lost = scene.wire().meets(record, Mishap::AnswerLost).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wire().met(&lost, 1).await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.linger(Duration::from_secs(1), "a second restart that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("pods of the new version come", eventually(pods().that_are(of_version(1)).running(2))),
            ("one restart is counted", never(job().retry_count_at_least(2))),
            ("and one version", never(job().version_at_least(2))),
            (
                "in the end the Job runs",
                after(
                    &pods().that_are(of_version(1)).running(2),
                    eventually(job().is("Running").and(job().running(2))),
                ),
            ),
        ])
    }
}
