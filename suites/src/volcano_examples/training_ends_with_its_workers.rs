//! Training with parameter servers.

use super::the_job;
use crate::volcano_words::*;

/// The last worker ends the Job, and not one before; servers go, workers stay.
pub struct This;

const EXAMPLE: &str = include_str!("../../../controller/volcano/examples/tensorflow.yaml");
const JOB: &str = "tensorflow";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "a task is completed by the success of all its pods; its policy comes before the one of the Job on any event",
            &["VJ-123", "VJ-139", "VJ-268"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(the_job(EXAMPLE)).await?;
        scene.wait(job_named(JOB).is("Running").and(pods_of(JOB).running(6))).await?;
        for index in 0..4 {
            scene.pod_named(&format!("tensorflow-worker-{index}")).succeeds().await?;
        }
        scene.wait(job_named(JOB).counts("worker", "Succeeded", 4)).await?;
        scene.mark("the last worker ends").await?;
        scene.pod_named("tensorflow-worker-4").succeeds().await?;
        scene.wait(job_named(JOB).is("Completed").and(pods_of(JOB).count(5))).await
    }

    fn expects(&self) -> Expectations {
        let completed = job_named(JOB).is("Completed");
        let workers = || pods_of(JOB).that_are(of_task("worker"));
        Expectations::from([
            ("all six run at once or none does", eventually(group_of(JOB).min_member(6))),
            (
                "four workers of five are not enough",
                before(&passed("the last worker ends"), never(job_named(JOB).is_one_of(&["Completing", "Completed"]))),
            ),
            ("all of them are", eventually(completed.clone())),
            ("nothing begins anew", never(job_named(JOB).retry_count_at_least(1))),
            ("the server goes", after(&completed, eventually(pods_of(JOB).that_are(of_task("ps")).count(0)))),
            ("what workers did stays", after(&completed, always(workers().that_are(succeeded()).count(5)))),
        ])
    }
}
