//! A Job that shrinks.

use crate::volcano_words::*;

/// A Job that shrinks loses its highest pods, and that is no loss to act upon.
pub struct This;

/// A change of the number of pods, and of how many are needed.
fn sized(replicas: u32, min: u32) -> serde_json::Value {
    let mut sized = task("w", replicas);
    sized["minAvailable"] = min.into();
    sized["maxRetry"] = 3.into();
    json!({"spec": {"minAvailable": min, "tasks": [sized]}})
}

/// To Volcano pods that it has deleted for this are lost.
const QUIET: &str = "the Job is not terminated for it";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "the sync pass",
            "scaling down deletes the highest indexes and raises no PodEvicted",
            &["VJ-163", "VJ-227", "VJ-230"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(3).max_retry(9).policy(on("PodEvicted", "TerminateJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.mark("about to shrink").await?;
        scene.patch("job", sized(1, 1)).await?;
        scene.wait(pods().count(1).and(job().running(1))).await?;
        scene.linger(Duration::from_secs(1), "an end that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let shrunk = passed("about to shrink");
        Expectations::from([
            ("the lowest pod runs on", after(&shrunk, always(pod("w", 0).running(1)))),
            ("the others go", after(&shrunk, eventually(pods().count(1)))),
            (QUIET, never(job().is_one_of(&["Terminating", "Terminated"]))),
            ("the group needs fewer", after(&shrunk, eventually(group().min_member(1)))),
            ("the Job is Running all the time", after(&shrunk, always(job().is("Running")))),
        ])
        .known(known(&[QUIET, "the lowest pod runs on", "the Job is Running all the time"], "volcano-sh/volcano#4072"))
    }
}
