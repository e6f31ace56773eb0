//! A Service of somebody else under the Job's name.

use crate::volcano_words::*;

/// A Service that is somebody else's stays as it is, also when the Job ends.
pub struct This;

/// A kill of Volcano's deletes by name.
const STAYS: &str = "the Service stays";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "a Service of the Job's name that is not the Job's is neither changed nor deleted",
            &["VJ-278", "VJ-284", "VJ-324"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let foreign = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "job"}, "spec": {"ports": [{"port": 80}]}});
        scene.must(Write::create_of(&Resource::SERVICES, foreign)).await?;
        scene.submit(gang(1).plugin("svc", &[])).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wait(job().is("Completed").and(config_maps().named("job-svc").count(0))).await?;
        scene.linger(Duration::from_millis(500), "a deletion that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let foreign = services().named("job").with("/spec/ports/0/port", 80);
        Expectations::from([
            ("it is not taken over", never(services().controlled_by(&Resource::VOLCANO_JOBS, "job").at_least(1))),
            (
                "the Job's own objects go at its end",
                eventually(job().is("Completed").and(config_maps().named("job-svc").count(0))),
            ),
            (STAYS, stable(&foreign.count(1))),
        ])
        .known(known(&[STAYS], "VJ-324: no report known"))
    }
}
