//! A group whose scheduler has lost track of it.

use crate::volcano_words::*;

/// An Unknown group does the action of its policy, as often as it happens.
pub struct This;

/// To Volcano the second one comes from a version of long ago.
const SECOND: &str = "and so is the second";

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "from changes to events",
            "a policy on Unknown does its action whenever the group becomes Unknown",
            &["VJ-129", "VJ-140"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).named("restart").max_retry(9).policy(on("Unknown", "RestartJob"))).await?;
        scene.submit(gang(1).named("abort").policy(on("Unknown", "AbortJob"))).await?;
        scene.submit(gang(1).named("none").policy(on("PodFailed", "AbortJob"))).await?;
        for round in 1..=2 {
            scene
                .wait(
                    job_named("restart")
                        .is("Running")
                        .and(pods_of("restart").running(1))
                        .and(group_of("restart").is("Running")),
                )
                .await?;
            scene.group_of("restart").becomes("Unknown").await?;
            scene.wait(job_named("restart").retry_count(round)).await?;
        }
        for name in ["abort", "none"] {
            scene.wait(job_named(name).is("Running").and(group_of(name).is("Running"))).await?;
            scene.group_of(name).becomes("Unknown").await?;
        }
        scene.wait(job_named("abort").is("Aborted")).await?;
        scene.wait(job_named("restart").is("Running")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "the first time is a restart",
                eventually(job_named("restart").retry_count(1).and(job_named("restart").version(1))),
            ),
            (SECOND, eventually(job_named("restart").retry_count(2).and(job_named("restart").version(2)))),
            ("AbortJob is done", eventually(job_named("abort").is("Aborted"))),
            (
                "without a policy nothing happens",
                never(job_named("none").is_one_of(&["Aborting", "Aborted", "Restarting"])),
            ),
        ])
        .known(known(&[SECOND], "VJ-140: no report known"))
    }
}
