//! The plugin `ray`.

use crate::volcano_words::*;

/// The head has a Service, and workers know where it is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "ray makes a Service for the head and gives head and workers their commands",
            &["VJ-292"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let named = |task: &str, replicas: u32, container: &str| {
            let mut task = crate::volcano::task(task, replicas);
            task["template"]["spec"]["containers"][0]["name"] = container.into();
            task
        };
        let tasks = json!([named("head", 1, "head"), named("worker", 1, "worker")]);
        scene.submit(gang(1).spec("tasks", tasks).plugin("ray", &[])).await?;
        scene.wait(pods().running(2)).await
    }

    fn expects(&self) -> Expectations {
        let runs = |part: &'static str| {
            word(format!("that runs {part}"), move |pod| {
                containers(pod).all(|container| container.command.iter().flatten().any(|word| word.contains(part)))
            })
        };
        let service = services().named("job-head-svc");
        Expectations::from([
            ("the head has a Service", eventually(service.controlled_by(&Resource::VOLCANO_JOBS, "job").count(1))),
            (
                "with its ports",
                eventually(
                    service
                        .only("with its ports".to_owned(), |service| {
                            let ports = service.raw()["spec"]["ports"].as_array().cloned().unwrap_or_default();
                            let ports: Vec<(String, u64)> = ports
                                .iter()
                                .map(|port| {
                                    (
                                        port["name"].as_str().unwrap_or_default().to_owned(),
                                        port["port"].as_u64().unwrap_or(0),
                                    )
                                })
                                .collect();
                            [("gcs", 6379), ("dashboard", 8265), ("client-server", 10001)]
                                .iter()
                                .all(|(name, port)| ports.contains(&((*name).to_owned(), *port)))
                        })
                        .count(1),
                ),
            ),
            ("it selects the head", eventually(service.with("/spec/selector/volcano.sh~1task-spec", "head").count(1))),
            ("the head starts one", eventually(pod("head", 0).that_are(runs("ray start --head")).count(1))),
            ("a worker joins it", eventually(pod("worker", 0).that_are(runs("job-head-0.job:6379")).count(1))),
        ])
    }
}
