//! Rights of a controller under test beyond those that the built-in Job controller has.

use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, Patch, PatchParams};
use serde_json::json;

use crate::cluster::ClusterError;
use crate::cluster::audit_line::SUBJECTS;
use crate::cluster::subject_kind::Rule;

/// Of the role and of its binding.
const NAME: &str = "jobsworth:subject";

/// What instances need to elect one of them.
pub(super) fn of_elections() -> Rule {
    let words = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    Rule {
        api_groups: words(&["coordination.k8s.io"]),
        resources: words(&["leases"]),
        verbs: words(&["create", "get", "update", "patch"]),
    }
}

/// Lets the subject do what these rules say, in the whole cluster and as long as the cluster lives.
pub(super) async fn grant(client: &kube::Client, rules: &[Rule]) -> Result<(), ClusterError> {
    if rules.is_empty() {
        return Ok(());
    }
    let failed = |source| ClusterError::Request {
        what: "give the controller under test its rights".to_owned(),
        source: Box::new(source),
    };
    let ours = PatchParams::apply(crate::cluster::access::PLUMBING).force();
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": rules});
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.patch(NAME, &ours, &Patch::Apply(role)).await.map_err(failed)?;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": NAME},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": SUBJECTS[0]}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
    bindings.patch(NAME, &ours, &Patch::Apply(binding)).await.map_err(failed)?;
    Ok(())
}
