//! The proof that a controller works, before it is measured.

use std::time::Duration;

use k8s_openapi::api::batch::v1::Job;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::json;
use tokio::time::{interval, timeout};

use super::{START, TrialGround, Turn};
use crate::load::Trouble;

impl TrialGround<'_> {
    /// A suspended Job gets its condition only from a controller whose caches are filled. The same proof for every arm.
    pub(in crate::load) async fn proven_to_work(
        &self,
        client: &kube::Client,
        probes: &str,
        turn: Turn<'_>,
    ) -> Result<(), Trouble> {
        let jobs: Api<Job> = Api::namespaced(client.clone(), probes);
        let name = format!("probe-{}", turn.number);
        let mut probe = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"suspend": true, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "main", "image": "nobody-runs-it"}],
            }}},
        });
        if let Some(manager) = turn.arm.kind.manager() {
            probe["spec"]["managedBy"] = json!(manager);
        }
        let failed = |error: &dyn std::error::Error| Trouble::of("probe the controller", error);
        let probe: Job = serde_json::from_value(probe).map_err(|error| failed(&error))?;
        jobs.create(&PostParams::default(), &probe).await.map_err(|error| failed(&error))?;
        let mut look = interval(Duration::from_millis(100));
        let works = async {
            loop {
                look.tick().await;
                let job = jobs.get(&name).await.map_err(|error| failed(&error))?;
                let mut conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
                if conditions.any(|condition| condition.type_ == "Suspended") {
                    return Ok(());
                }
            }
        };
        timeout(START, works).await.map_err(|_| Trouble::new("the controller does not work"))??;
        jobs.delete(&name, &DeleteParams::background()).await.map(drop).map_err(|error| failed(&error))
    }
}
