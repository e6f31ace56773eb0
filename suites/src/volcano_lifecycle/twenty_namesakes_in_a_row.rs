//! A Job that is deleted and made anew again and again.

use crate::volcano_words::*;

/// Each Job of the same name gets its pods, however often there was one before.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "choosing the action",
            "a Job that is created again under the same name always comes to run",
            &["VJ-137"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for _ in 0..20 {
            scene.submit(gang(1)).await?;
            scene.wait(job().is("Running").and(job().running(1))).await?;
            scene.delete("job", Propagation::Background).await?;
            scene.wait(job().is_gone()).await?;
        }
        scene.submit(gang(1)).await?;
        scene.mark("the last one").await?;
        scene.wait(job().is("Running").and(job().running(1))).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "the last one runs, too",
                after(&passed("the last one"), eventually(job().is("Running").and(job().running(1)))),
            ),
            ("none of them retries anything", never(job().retry_count_at_least(1))),
        ])
        .known(known(&["the last one runs, too"], "volcano-sh/volcano#5973"))
    }
}
