//! A container that sets the index variable itself.

use crate::words::*;
use jobsworth_api::well_known;
use k8s_openapi::api::core::v1::{Container, Pod};

/// Who sets the variable of the index keeps it, others get it; the pod's host name and subdomain give it a name in the network, and no Service is made.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Design Details",
                says: "a variable of the template wins over the one that is added; a headless Service is the user's to make",
            },
            requirements: &["IDX-004", "IDX-007", "IDX-003"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let image = "jobsworth.invalid/agent:v1";
        let own = json!([{"name": well_known::COMPLETION_INDEX_ENV, "value": "mine"}]);
        let containers = json!([{"name": "main", "image": image}, {"name": "second", "image": image, "env": own}]);
        scene.submit(indexed(1).pod_spec("containers", containers).pod_spec("subdomain", "jobs")).await?;
        scene.wait(pods().running(1)).await?;
        scene.look("services", Look::at("/api/v1/namespaces/{ns}/services")).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let is = |name: &'static str, words: &str, what: fn(&Container) -> bool| {
            let words = format!("with a container {name} {words}");
            let has = word(words, move |pod: &Pod| {
                pod.spec.iter().flat_map(|spec| &spec.containers).any(|one| one.name == name && what(one))
            });
            eventually(pods().any(has))
        };
        let named = word("with a name in the network", |pod: &Pod| {
            let spec = pod.spec.as_ref();
            spec.and_then(|spec| spec.hostname.as_deref()) == Some("job-0")
                && spec.and_then(|spec| spec.subdomain.as_deref()) == Some("jobs")
        });
        Expectations::from([
            ("what a container sets itself stays", is("second", "that keeps its own", |one| value(one) == ["mine"])),
            ("any other gets its index", is("main", "that gets its index", |one| value(one) == [""])),
            ("the pod has a name of its own", eventually(pods().any(named))),
            ("no Service is made for it", eventually(answer("services").has("/items", json!([])))),
            ("the Job completes", eventually(job().has(Complete))),
        ])
    }
}

/// What the variable is set to, each time that it is; empty where it comes from the pod itself.
fn value(container: &Container) -> Vec<&str> {
    let all = container.env.iter().flatten().filter(|one| one.name == well_known::COMPLETION_INDEX_ENV);
    all.map(|one| one.value.as_deref().unwrap_or_default()).collect()
}
