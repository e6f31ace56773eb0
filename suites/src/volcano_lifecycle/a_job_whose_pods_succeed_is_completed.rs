//! A Job that does what it is for.

use crate::volcano_words::*;

/// When all pods have succeeded the Job is Completed, and says how many there were.
pub struct This;

/// To Volcano every write of a status is a transition.
const DATED: &str = "a phase is dated when it began, whatever is counted meanwhile";
/// The last kill pass of Volcano counts pods that still stop, and no others.
const COUNTS: &str = "a Job that is done says how many pods succeeded";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "status",
            "when all pods have ended and enough succeeded the Job is Completed, and its counters tell so",
            &["VJ-105", "VJ-107", "VJ-110", "VJ-114", "VJ-115", "VJ-123", "VJ-165", "VJ-171", "VJ-264"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(tasks(&[("a", 1), ("b", 2)])).await?;
        scene.wait(job().is("Running").and(job().running(3))).await?;
        scene.linger(Duration::from_millis(1100), "times are whole seconds").await?;
        scene.pod_named("job-a-0").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        for name in ["job-b-0", "job-b-1"] {
            scene.pod_named(name).succeeds().await?;
        }
        scene.wait(job().is("Completed")).await?;
        scene.wait(group().is_absent()).await
    }

    fn expects(&self) -> Expectations {
        let completed = job().is("Completed");
        let dated = job().status("dates its phase as its condition does".to_owned(), |status| {
            status.conditions.last().is_some_and(|it| it.last_transition_time == status.state.last_transition_time)
        });
        let counts = job().succeeded(3).and(job().counts("a", "Succeeded", 1)).and(job().counts("b", "Succeeded", 2));
        Expectations::from([
            (
                "while it runs its pods are counted, by task too",
                eventually(job().running(3).and(job().counts("b", "Running", 2))),
            ),
            (DATED, after(&job().is("Running"), always(dated))),
            ("it says how many pods it needs", eventually(job().min_available(3))),
            ("it completes", eventually(completed.clone())),
            ("and stays so", stable(&completed)),
            (COUNTS, after(&completed, always(counts))),
            ("pods that ended stay", after(&completed, always(pods().count(3)))),
            ("its group goes", after(&completed, eventually(group().is_absent()))),
        ])
        .known(known(&[COUNTS], "volcano-sh/volcano#4616"))
        .known(known(&[DATED], "VJ-114: no report known"))
    }
}
