//! A suspended Job with a time to live.

use crate::volcano_words::*;

/// A suspended Job is not finished, and its time to live does not run.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "TTL", "Aborted Jobs are never collected", &["VJ-238"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for name in ["aborted", "control"] {
            scene.submit(gang(1).named(name).spec("ttlSecondsAfterFinished", 1)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(1))).await?;
        }
        scene.order("aborted", "AbortJob").await?;
        scene.wait(job_named("aborted").is("Aborted")).await?;
        scene.pod_named("control-w-0").succeeds().await?;
        scene.wait(job_named("control").is_gone()).await?;
        scene.linger(Duration::from_secs(1), "a deletion that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("it is suspended", eventually(job_named("aborted").is("Aborted"))),
            ("and stays", never(job_named("aborted").is_deleting())),
            (
                "while one that is finished goes",
                eventually(job_named("control").is_gone().and(job_named("aborted").is("Aborted"))),
            ),
        ])
    }
}
