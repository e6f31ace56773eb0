//! A Job without a policy whose pods fail.

use crate::volcano_words::*;

/// When all pods have ended and too few succeeded the Job is Failed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "when all pods have ended and too few succeeded the Job is Failed",
            &["VJ-122", "VJ-171", "VJ-185"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(job().is("Running")).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().failed(1)).await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Failed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "one failure alone ends nothing",
                before(&pods().that_are(succeeded()).count(1), never(job().is("Failed"))),
            ),
            ("in the end it is Failed", eventually(job().is("Failed"))),
            ("and stays so", stable(&job().is("Failed"))),
            ("nothing was tried again", never(job().retry_count_at_least(1))),
            ("both pods stay", after(&job().is("Failed"), always(pods().count(2)))),
        ])
    }
}
