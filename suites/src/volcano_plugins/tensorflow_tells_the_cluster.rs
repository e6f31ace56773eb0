//! The plugin `tensorflow`.

use crate::volcano_words::*;

/// Each pod is told all others and its own place among them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "tensorflow tells pods the cluster and their task, unless there is one pod",
            &["VJ-291"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(tasks(&[("ps", 1), ("worker", 2)]).plugin("tensorflow", &[])).await?;
        scene.submit(tasks(&[("worker", 1)]).named("alone").plugin("tensorflow", &[])).await?;
        scene.wait(pods().running(3).and(pods_of("alone").running(1))).await
    }

    fn expects(&self) -> Expectations {
        let told = |role: &'static str, index: u64| {
            word(format!("told to be {role} {index}"), move |pod| {
                containers(pod).all(|container| {
            let text = container.env.iter().flatten().find(|variable| variable.name == "TF_CONFIG").and_then(|variable| variable.value.clone());
            let Some(config) = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok()) else { return false };
            let cluster = json!({"ps": ["job-ps-0.job:2222"], "worker": ["job-worker-0.job:2222", "job-worker-1.job:2222"]});
            config["cluster"] == cluster && config["task"] == json!({"type": role, "index": index})
        })
            })
        };
        let untold = word("told nothing", |pod| {
            containers(pod).all(|container| container.env.iter().flatten().all(|variable| variable.name != "TF_CONFIG"))
        });
        Expectations::from([
            ("the server is told", eventually(pod("ps", 0).that_are(told("ps", 0)).count(1))),
            ("a worker is told", eventually(pod("worker", 1).that_are(told("worker", 1)).count(1))),
            ("a pod that is alone is told nothing", eventually(pods_of("alone").that_are(untold).count(1))),
        ])
    }
}
