//! A task that falls short although the Job does not.

use crate::volcano_words::*;

/// A Job is Failed when one task has fewer successes than it needs.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "a Job whose minimum is that of its tasks is Failed if one task falls short of its own",
            &["VJ-025", "VJ-171"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(tasks(&[("a", 2), ("b", 2)]).task(0, "minAvailable", 1)).await?;
        scene.wait(pods().running(4).and(job().is("Running"))).await?;
        for name in ["job-a-0", "job-a-1", "job-b-0"] {
            scene.pod_named(name).succeeds().await?;
        }
        scene.pod_named("job-b-1").fails(1).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("three successes are as many as the Job needs", eventually(job().min_available(3))),
            ("and they are there", eventually(pods().that_are(succeeded()).count(3))),
            ("it is Failed all the same", eventually(job().is("Failed"))),
            ("and never Completed", never(job().is_one_of(&["Completing", "Completed"]))),
        ])
    }
}
