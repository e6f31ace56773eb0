//! A flow schema for the controllers under test alone, so that flow control counts their requests and nobody else's.
//!
//! They stay on the priority level on which service accounts of the system are, with the same distinguisher: what they get of the API
//! server is what they got before.

use serde_json::json;

use super::Trouble;
use crate::cluster::audit_line::SUBJECTS;

/// Its name, as metrics have it.
pub const NAME: &str = "jobsworth-subjects";
/// Before `kube-system-service-accounts`, which has 900.
const PRECEDENCE: u32 = 890;
const PATH: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/// Makes it.
///
/// # Errors
/// When the API server refuses to.
pub async fn make(client: &kube::Client) -> Result<(), Trouble> {
    // By name: not all of them come with a token of their service account.
    let subjects = SUBJECTS.map(|user| json!({"kind": "User", "user": {"name": user}}));
    let everything = json!({
        "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"],
    });
    let schema = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": NAME},
        "spec": {
            "priorityLevelConfiguration": {"name": "workload-high"},
            "matchingPrecedence": PRECEDENCE,
            "distinguisherMethod": {"type": "ByNamespace"},
            "rules": [{
                "subjects": subjects,
                "resourceRules": [everything],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        },
    });
    let failed = |error: &dyn std::error::Error| Trouble::of("make a flow schema for the controllers", error);
    let request = http::Request::post(PATH).header(http::header::CONTENT_TYPE, "application/json");
    let request = request.body(schema.to_string().into_bytes()).map_err(|error| failed(&error))?;
    client.request_text(request).await.map(drop).map_err(|error| failed(&error))
}
