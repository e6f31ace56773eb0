//! A restart of a Job with plugins.

use crate::volcano_words::*;

/// After a restart what plugins make is there before the first pod.
pub struct This;

/// Volcano makes the rest in the pass after that which makes the pods.
const BEFORE: &str = "wherever a pod is made, all of them are there";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "pods of a restarted Job are made when all objects of its plugins are there",
            &["VJ-153", "VJ-284", "VJ-325"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9).plugin("svc", &[]).plugin("ssh", &[])).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed").and(services().count(0)).and(secrets().count(0))).await?;
        scene.wait(network_policies().count(0).and(config_maps().named("job-svc").count(0))).await
    }

    fn expects(&self) -> Expectations {
        let there = services().named("job").count(1).and(config_maps().named("job-svc").count(1));
        let there = there.and(secrets().named("job-ssh").count(1)).and(network_policies().named("job").count(1));
        Expectations::from([
            (BEFORE, whenever(&pods().created(), there)),
            ("a restart makes them anew", after(&job().version(1), eventually(services().created()))),
            (
                "at the end they go",
                after(
                    &job().is("Completed"),
                    eventually(services().count(0).and(secrets().count(0)).and(network_policies().count(0))),
                ),
            ),
            (
                "the Job no longer says that it has them",
                after(
                    &job().is("Completed"),
                    eventually(job().status("controls nothing".to_owned(), |status| {
                        !status.controlled_resources.keys().any(|key| key.starts_with("plugin-"))
                    })),
                ),
            ),
        ])
        .known(known(&[BEFORE], "volcano-sh/volcano#1977"))
    }
}
