//! A Job that grows.

use crate::volcano_words::*;

/// A Job that grows gets the pods that are missing, and leaves the others alone.
pub struct This;

/// A change of the number of pods, and of how many are needed.
fn sized(replicas: u32, min: u32) -> serde_json::Value {
    let mut sized = gang(replicas).cpu(0, "100m").json()["spec"]["tasks"][0].take();
    sized["minAvailable"] = min.into();
    sized["maxRetry"] = 3.into();
    json!({"spec": {"minAvailable": min, "tasks": [sized]}})
}

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "status",
            "scaling up creates the new indexes and updates the group and the hosts",
            &["VJ-107", "VJ-226", "VJ-262", "VJ-284"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).cpu(0, "100m").plugin("svc", &[])).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.mark("about to grow").await?;
        scene.patch("job", sized(4, 3)).await?;
        scene.wait(job().is("Running").and(job().running(4)).and(group().min_member(3))).await
    }

    fn expects(&self) -> Expectations {
        let grown = passed("about to grow");
        let asks = |cpu: &'static str| pod_groups().with("/spec/minResources/cpu", cpu);
        let hosts = |hosts: &'static str| config_maps().named("job-svc").with("/data/w.host", hosts);
        Expectations::from([
            ("two pods more", after(&grown, eventually(pod("w", 2).running(1).and(pod("w", 3).running(1))))),
            ("the first two run on", after(&grown, always(pod("w", 0).running(1).and(pod("w", 1).running(1))))),
            (
                "the group needs more",
                after(&grown, eventually(group().min_member(3).and(group().min_task_member("w", 3)))),
            ),
            ("before it asked for two", before(&grown, eventually(asks("200m").count(1)))),
            ("now it asks for three", after(&grown, eventually(asks("300m").count(1)))),
            ("before there were two hosts", before(&grown, eventually(hosts("job-w-0.job\njob-w-1.job").count(1)))),
            (
                "now there are four",
                after(&grown, eventually(hosts("job-w-0.job\njob-w-1.job\njob-w-2.job\njob-w-3.job").count(1))),
            ),
            ("the Job says how many it needs", after(&grown, eventually(job().min_available(3)))),
            ("that is no retry", never(job().retry_count_at_least(1).or(job().version_at_least(1)))),
        ])
    }
}
