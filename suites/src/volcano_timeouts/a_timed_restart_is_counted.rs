//! A restart that had to wait.

use crate::volcano_words::*;

/// A restart after a time is a restart like any other.
pub struct This;

/// Volcano acts outside the Job's worker, and loses the write to a conflict.
const COUNTED: &str = "a new version is a retry";
const TOLD: &str = "the Job says that it restarts";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "seen when the real one was run",
            "a timed action is recorded in the status together with its kill",
            &["VJ-321", "VJ-322"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).max_retry(9).policy(on_after("PodFailed", "1s", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job().version(1)).await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(3))).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (COUNTED, whenever(&job().version(1), job().retry_count(1))),
            (TOLD, eventually(job().is("Restarting"))),
            ("all pods come anew", eventually(pods().that_are(of_version(1)).running(3))),
            ("once", never(job().version_at_least(2))),
        ])
        .known(known(&[COUNTED, TOLD], "VJ-322: no report known"))
    }
}
