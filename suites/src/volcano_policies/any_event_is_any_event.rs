//! A policy on whatever happens.

use crate::volcano_words::*;

/// A policy on any event is one on success, too.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "choosing the action",
            "a policy on any event matches every event that reaches policies",
            &["VJ-141", "VJ-142"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let any = |name: &str, action| gang(1).named(name).max_retry(2).policy(on("*", action));
        scene.submit(any("fails", "AbortJob")).await?;
        scene.submit(any("is-lost", "TerminateJob")).await?;
        scene.submit(any("succeeds", "RestartJob")).await?;
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
        scene.wait(job_named("succeeds").retry_count(1).and(pods_of("succeeds").running(1))).await?;
        scene.pod_named("succeeds-w-0").succeeds().await?;
        scene.wait(job_named("succeeds").is("Failed")).await?;
        scene.wait(job_named("fails").is("Aborted").and(job_named("is-lost").is("Terminated"))).await
    }

    fn expects(&self) -> Expectations {
        let begun = |name: &'static str| {
            before(
                &pods_of(name).running(1),
                never(job_named(name).is_one_of(&["Aborting", "Terminating", "Restarting"])),
            )
        };
        Expectations::from([
            ("a failure is an event", eventually(job_named("fails").is("Aborted"))),
            ("a loss is one", eventually(job_named("is-lost").is("Terminated"))),
            ("success is one", eventually(job_named("succeeds").retry_count(1))),
            ("until there are no more runs", eventually(job_named("succeeds").is("Failed"))),
            ("a pod that waits is none", begun("fails")),
        ])
    }
}
