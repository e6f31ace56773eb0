//! The plugin `mpi`.

use crate::volcano_words::*;

/// The master is told where the workers are.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "defaulting",
            "mpi tells the master of the workers and opens a port in all pods",
            &["VJ-041", "VJ-289"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(tasks(&[("master", 1), ("worker", 2)]).plugin("mpi", &["--port=2022"])).await?;
        scene.wait(pods().running(3)).await
    }

    fn expects(&self) -> Expectations {
        let open = word("with the port open", |pod| {
            containers(pod).all(|container| {
                container
                    .ports
                    .iter()
                    .flatten()
                    .any(|port| port.name.as_deref() == Some("mpijob-port") && port.container_port == 2022)
            })
        });
        let told = variable("MPI_HOST", "job-worker-0.job,job-worker-1.job");
        Expectations::from([
            ("the master is told", eventually(pod("master", 0).that_are(told.clone()).count(1))),
            ("the workers are not", never(pods().that_are(of_task("worker").and(told)).at_least(1))),
            ("all have the port", eventually(pods().that_are(open).count(3))),
            (
                "there is a key and a Service",
                eventually(secrets().named("job-ssh").count(1).and(services().named("job").count(1))),
            ),
        ])
    }
}
