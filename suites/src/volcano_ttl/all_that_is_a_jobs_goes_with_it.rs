//! A Job whose time is over, with what was made for it.

use crate::volcano_words::*;

/// When the time of a finished Job is over, it goes with its pods and with all that was made for it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "TTL",
            "a Job that is deleted after its time to live takes its pods and all that was made for it along",
            &["VJ-236", "VJ-018", "VJ-241"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).plugin("svc", &[]).spec("ttlSecondsAfterFinished", 1)).await?;
        scene.wait(job().is("Running").and(job().running(2))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        let hosts = config_maps().named("job-svc");
        scene.wait(job().is_gone().and(pods().count(0)).and(services().count(0)).and(hosts.count(0))).await
    }

    fn expects(&self) -> Expectations {
        let completed = job().is("Completed");
        let made = pods().created().or(pod_groups().created()).or(services().created());
        Expectations::from([
            ("the Job completes", eventually(completed.clone())),
            ("then it goes", after(&completed, eventually(job().is_gone()))),
            ("and its pods with it", after(&completed, eventually(job().is_gone().and(pods().count(0))))),
            ("nothing is made again", after(&completed, never(made))),
        ])
    }
}
