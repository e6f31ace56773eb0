//! A Job that has nothing to do yet.

use crate::volcano_words::*;

/// A Job without pods is Running, and stays so.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "the sync pass",
            "a Job of no pods is Running at its first pass, and stays",
            &["VJ-168", "VJ-169"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(0)).await?;
        scene.wait(job().is("Running")).await?;
        scene.linger(Duration::from_secs(1), "an end that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("it runs", eventually(job().is("Running"))),
            ("for good", stable(&job().is("Running"))),
            ("without a pod", never(pods().at_least(1))),
        ])
    }
}
