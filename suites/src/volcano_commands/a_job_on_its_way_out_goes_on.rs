//! Jobs whose pods still stop for their end.

use crate::volcano_words::*;

/// Nothing that a Job is told keeps it from the end that it is on its way to.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "transition table",
            "Completing and Terminating Jobs reach their end whatever they are told",
            &["VJ-180", "VJ-181"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        for (name, action, phase) in
            [("completing", "CompleteJob", "Completing"), ("terminating", "TerminateJob", "Terminating")]
        {
            scene.submit(gang(1).named(name)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(1))).await?;
            scene.order(name, action).await?;
            scene.wait(job_named(name).is(phase)).await?;
            for action in ["ResumeJob", "AbortJob", "TerminateJob", "CompleteJob", "RestartJob", "Foo"] {
                scene.order(name, action).await?;
            }
            scene.wait(commands().count(0)).await?;
            scene.pod_named(&format!("{name}-w-0")).is_let_go(End::Exited(0)).await?;
        }
        scene.wait(job_named("completing").is("Completed").and(job_named("terminating").is("Terminated"))).await
    }

    fn expects(&self) -> Expectations {
        let other = |name: &'static str, phases: &'static [&'static str]| never(job_named(name).is_one_of(phases));
        Expectations::from([
            ("the one is Completed", eventually(job_named("completing").is("Completed"))),
            ("and nothing else", other("completing", &["Aborting", "Terminating", "Restarting"])),
            ("the other is Terminated", eventually(job_named("terminating").is("Terminated"))),
            ("and nothing else either", other("terminating", &["Aborting", "Completing", "Restarting"])),
            (
                "neither ends before its pod is gone",
                never(
                    pods_of("completing").at_least(1).and(job_named("completing").is("Completed")).or(pods_of(
                        "terminating",
                    )
                    .at_least(1)
                    .and(job_named("terminating").is("Terminated"))),
                ),
            ),
        ])
    }
}
