//! A Job of which one task is restarted.

use crate::volcano_words::*;

/// A restart of a task leaves the other tasks and the Job's objects alone.
pub struct This;

/// Release 1.15 deletes the group at every kill.
const GROUP: &str = "the group stays";
/// Volcano takes them away and makes them anew, with another key than the pods have that go on.
const OBJECTS: &str = "what plugins made stays";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "RestartTask deletes the pods of that task, and neither the group nor what plugins made",
            &["VJ-154", "VJ-155", "VJ-327"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let two = tasks(&[("a", 3), ("b", 1)]).max_retry(9).plugin("svc", &[]).plugin("ssh", &[]);
        scene.submit(two.task_policy(0, on("PodFailed", "RestartTask"))).await?;
        scene.wait(job().is("Running").and(pods().running(4)).and(group().is("Running"))).await?;
        scene.pod_named("job-a-1").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.mark("about to fail").await?;
        scene.pod_named("job-a-0").fails(1).await?;
        scene.wait(job().retry_count(1).and(job().is("Running")).and(pods().that_are(of_task("a")).running(3))).await?;
        scene.wait(job().running(4)).await
    }

    fn expects(&self) -> Expectations {
        let failing = passed("about to fail");
        let made = services()
            .created()
            .or(config_maps().named("job-svc").created())
            .or(secrets().created())
            .or(network_policies().created());
        Expectations::from([
            (
                "pods of the task come anew, that which succeeded, too",
                after(&failing, eventually(pods().that_are(of_attempt(1)).that_are(of_task("a")).count(3))),
            ),
            ("the other task's pod runs on", after(&failing, always(pods().that_are(of_task("b")).running(1)))),
            ("that is a retry and no new version", never(job().version_at_least(1))),
            (GROUP, after(&failing, always(group().exists()))),
            (OBJECTS, after(&failing, never(made))),
            ("in the end all are counted", after(&failing, eventually(job().retry_count(1).and(job().running(4))))),
        ])
        .known(known(&[GROUP], "volcano-sh/volcano#5385"))
        .known(known(&[OBJECTS], "VJ-155: no report known"))
    }
}
