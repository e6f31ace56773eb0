//! The plugin `env`.

use crate::volcano_words::*;

/// Containers are told the index of their pod.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "status",
            "env sets VK_TASK_INDEX and VC_TASK_INDEX in containers and init containers",
            &["VJ-111", "VJ-277"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let init = json!([{"name": "init", "image": "jobsworth.invalid/agent:v1"}]);
        scene.submit(gang(2).plugin("env", &[]).pod_spec(0, "initContainers", init)).await?;
        scene.wait(pods().count(2).and(job().controls("plugin-env"))).await
    }

    fn expects(&self) -> Expectations {
        let told = |index: &'static str| {
            word(format!("told {index}"), move |pod| {
                let Some(spec) = &pod.spec else { return false };
                let knows = |container: &k8s_openapi::api::core::v1::Container| {
                    ["VK_TASK_INDEX", "VC_TASK_INDEX"].iter().all(|name| {
                        container
                            .env
                            .iter()
                            .flatten()
                            .any(|variable| variable.name == *name && variable.value.as_deref() == Some(index))
                    })
                };
                spec.containers.iter().chain(spec.init_containers.iter().flatten()).all(knows)
            })
        };
        Expectations::from([
            ("the first pod is told 0", eventually(pod("w", 0).that_are(told("0")).count(1))),
            ("the second pod is told 1", eventually(pod("w", 1).that_are(told("1")).count(1))),
            ("the Job says that the plugin is on", eventually(job().controls("plugin-env"))),
        ])
    }
}
