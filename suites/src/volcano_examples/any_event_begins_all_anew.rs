//! One policy for all tasks: `*`.

use super::the_job;
use crate::volcano_words::*;

/// A failure, a loss and a success: each begins the Job anew, until there are no more runs.
pub struct This;

const EXAMPLE: &str = include_str!("../../../controller/volcano/examples/restart-on-anything.yaml");
const JOB: &str = "restart-on-anything";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "choosing the action",
            "a policy of the Job on any event is one for all its tasks",
            &["VJ-141", "VJ-186"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(the_job(EXAMPLE)).await?;
        scene.wait(job_named(JOB).is("Running").and(pods_of(JOB).running(6))).await?;
        scene.pod_named("restart-on-anything-worker-3").fails(1).await?;
        scene.wait(again(1)).await?;
        scene.pod_named("restart-on-anything-worker-0").is_deleted().await?;
        scene.wait(again(2)).await?;
        scene.pod_named("restart-on-anything-ps-0").succeeds().await?;
        scene.wait(job_named(JOB).is("Failed").and(pods_of(JOB).that_are(live()).count(0))).await
    }

    fn expects(&self) -> Expectations {
        let failed = job_named(JOB).is("Failed");
        Expectations::from([
            ("a failure begins it anew", eventually(again(1))),
            ("a loss does", eventually(again(2))),
            ("a success is one run too many", eventually(failed.clone())),
            ("which is told only then", before(&job_named(JOB).retry_count(3), never(failed.clone()))),
            ("no pod is left that runs", after(&failed, eventually(pods_of(JOB).that_are(live()).count(0)))),
            ("no pod is made after that", after(&failed, never(pods_of(JOB).created()))),
        ])
    }
}

/// All pods run, after so many new beginnings.
fn again(times: i32) -> Predicate {
    let pods = pods_of(JOB).that_are(of_version(times)).running(6);
    job_named(JOB).is("Running").and(job_named(JOB).retry_count(times)).and(pods)
}
