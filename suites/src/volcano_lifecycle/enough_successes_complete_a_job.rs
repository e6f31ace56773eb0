//! A Job that needs fewer pods than it has.

use crate::volcano_words::*;

/// With enough successes a Job is Completed although a pod has failed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "a Job that needs fewer pods than it has can be Completed with failed pods",
            &["VJ-011", "VJ-171", "VJ-172"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).min_available(2)).await?;
        scene.wait(pods().running(3).and(job().is("Running"))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.pod_named("job-w-2").succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let last = pods().that_are(succeeded()).count(2);
        Expectations::from([
            ("it does not end before its last pod", before(&last, never(job().is_finished()))),
            ("it is Completed", eventually(job().is("Completed"))),
            ("and never Failed", never(job().is("Failed"))),
        ])
    }
}
