//! The plugins `env`, `svc` and `ssh` together.

use crate::volcano_words::*;

/// What the three plugins of the first design make is there as long as the Job runs, and goes when it is done.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "what env, svc and ssh make is there before the pods, and is taken down when the Job is done",
            &["VJ-284", "VJ-277", "VJ-278", "VJ-279", "VJ-285", "VJ-264"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).plugin("env", &[]).plugin("svc", &[]).plugin("ssh", &[])).await?;
        scene.wait(job().is("Running").and(job().running(2))).await?;
        scene.mark("about to end").await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed").and(group().is_absent()).and(services().count(0))).await?;
        let others = config_maps().named("job-svc").count(0).and(network_policies().count(0));
        scene.wait(others.and(secrets().named("job-ssh").count(0))).await
    }

    fn expects(&self) -> Expectations {
        let (completed, ending) = (job().is("Completed"), passed("about to end"));
        let (hosts, keys) = (config_maps().named("job-svc"), secrets().named("job-ssh"));
        let all = || services().named("job").count(1).and(hosts.count(1)).and(keys.count(1));
        let none = services().count(0).and(network_policies().count(0)).and(hosts.count(0)).and(keys.count(0));
        Expectations::from([
            ("all are there before the first pod", before(&pods().at_least(1), eventually(all()))),
            ("the first pod knows its index", eventually(pods().that_are(variable("VK_TASK_INDEX", "0")).count(1))),
            ("as does the second", eventually(pods().that_are(variable("VK_TASK_INDEX", "1")).count(1))),
            ("all stay while the Job runs", before(&ending, after(&job().is("Running"), always(all())))),
            ("the Job completes", eventually(completed.clone())),
            ("then all go", after(&completed, eventually(none.and(group().is_absent())))),
            ("and the pods stay", after(&completed, always(pods().count(2)))),
        ])
    }
}
