//! A plain Volcano Job is let in before anything is judged: the API server trusts the webhook's certificate and reaches it, and
//! the queue is open.
//!
//! A webhook's health says nothing of that, and queues are opened by the controller, a moment after its own health is good.

use std::time::Duration;

use http::Request;
use serde_json::json;
use tokio::time::{Instant, interval};

use crate::cluster::ClusterError;
use crate::cluster::subject_kind::JobApi;

/// How long it may take from the health of both programs on.
const WITHIN: Duration = Duration::from_secs(30);
const ASK_EVERY: Duration = Duration::from_millis(100);
/// Where every plain Job is welcome.
const NAMESPACE: &str = "default";
/// A webhook that says that it writes something is not asked about what is only for show: nobody can tell then.
const NOT_FOR_SHOW: &str = "does not support dry run";

/// Returns when a plain Job of this API would be let in. Kubernetes' own always are.
///
/// # Errors
/// When it is not let in for long, with the last words about it.
pub(super) async fn open(client: &kube::Client, api: JobApi) -> Result<(), ClusterError> {
    if api.is_kubernetes_own() {
        return Ok(());
    }
    let begun = Instant::now();
    let mut ask = interval(ASK_EVERY);
    loop {
        ask.tick().await;
        let Some(said) = refusal(client, api).await else { return Ok(()) };
        if begun.elapsed() > WITHIN {
            return Err(ClusterError::NotAdmitted { api, within: WITHIN, said });
        }
    }
}

/// Why the Job would not be let in, if so.
async fn refusal(client: &kube::Client, api: JobApi) -> Option<String> {
    let path = format!("{}?dryRun=All", api.resource().list_path(NAMESPACE));
    let request =
        Request::post(path).header("Content-Type", "application/json").body(plain(api).to_string().into_bytes());
    let answer = match request {
        Ok(request) => client.request_text(request).await,
        Err(error) => return Some(error.to_string()),
    };
    match answer {
        Ok(_) => None,
        Err(kube::Error::Api(status)) if status.message.contains(NOT_FOR_SHOW) => None,
        Err(kube::Error::Api(status)) => Some(status.message.clone()),
        Err(error) => Some(crate::error_text::in_full(&error)),
    }
}

fn plain(api: JobApi) -> serde_json::Value {
    let container = json!({"name": "main", "image": "jobsworth.invalid/agent:v1"});
    json!({
        "apiVersion": api.to_string(),
        "kind": "Job",
        "metadata": {"name": "jobsworth-plain"},
        "spec": {"tasks": [{
            "name": "w",
            "replicas": 1,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        }]},
    })
}
