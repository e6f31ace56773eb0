//! A policy with a list of events.

use crate::volcano_words::*;

/// Each event of a list does the policy's action.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "spec fields", "a policy with several events matches each of them", &["VJ-014", "VJ-139"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let policy = || json!({"events": ["PodEvicted", "PodFailed"], "action": "TerminateJob"});
        scene.submit(gang(1).named("fails").policy(policy())).await?;
        scene.submit(gang(1).named("is-lost").policy(policy())).await?;
        scene.submit(gang(1).named("succeeds").policy(policy())).await?;
        scene
            .wait(
                job_named("fails")
                    .is("Running")
                    .and(job_named("is-lost").is("Running"))
                    .and(job_named("succeeds").is("Running")),
            )
            .await?;
        scene.pod_named("fails-w-0").fails(1).await?;
        scene.pod_named("is-lost-w-0").is_deleted().await?;
        scene.pod_named("succeeds-w-0").succeeds().await?;
        scene.wait(job_named("fails").is("Terminated").and(job_named("is-lost").is("Terminated"))).await?;
        scene.wait(job_named("succeeds").is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the second one does", eventually(job_named("fails").is("Terminated"))),
            ("the first one does", eventually(job_named("is-lost").is("Terminated"))),
            ("another event does not", eventually(job_named("succeeds").is("Completed"))),
        ])
    }
}
