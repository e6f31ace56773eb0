//! Two gangs that both want more than they need.

use crate::volcano_words::*;

/// What is left over is shared by those who want more.
pub struct This;

/// A pod of the second Job runs.
fn running_two() -> Predicate {
    pods_of("two").any(running())
}

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "scheduling behaviour",
            "pods beyond what a gang needs share what is left",
            &["VJ-271"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.gangs_behave(|gangs| gangs.room = Some(600));
        for name in ["one", "two"] {
            scene.submit(gang(5).named(name).min_available(2).task(0, "minAvailable", 2).cpu(0, "100m")).await?;
            scene.wait(pods_of(name).count(5)).await?;
        }
        scene.wait(job_named("one").is("Running").and(pods_of("one").running(5))).await?;
        for index in 0..3 {
            scene.pod_named(&format!("one-w-{index}")).succeeds().await?;
        }
        scene.wait(job_named("two").is("Running").and(pods_of("two").running(4))).await
    }

    fn expects(&self) -> Expectations {
        let alone = before(&pods_of("one").that_are(succeeded()).at_least(1), never(running_two()));
        Expectations::from([
            ("with room for one more the second gets nothing", alone),
            ("the first has what it wants while it is alone", eventually(pods_of("one").running(5))),
            (
                "the second has its minimum, and all that is left, when there is room",
                eventually(pods_of("two").running(4).and(job_named("two").is("Running"))),
            ),
        ])
    }
}
