//! The verbs of an election: with them a lease is held and renewed, without any of them it is not.

use jobsworth_harness::faults::FaultBench;
use jobsworth_suites::CATALOGUE;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use super::duties::within;
use super::roles;

pub const FLAGS: [&str; 5] = [
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
    "--leader-elect-resource-namespace=jobsworth-system",
    "--leader-elect-resource-name=jobsworth-controller",
];
const NAMESPACE: &str = "jobsworth-system";
const NAME: &str = "jobsworth-controller";
/// The identity that the harness gives to the controller.
const USER: &str = "system:serviceaccount:kube-system:job-controller";

/// Lets a candidate do what it can under the deployed role, or under the role without this verb; the first duty that is not
/// done is the error.
pub async fn held_without(bench: &FaultBench, attempt: u32, verb: Option<&str>) -> Result<(), String> {
    let client = bench.cluster().client();
    let leases: Api<Lease> = Api::namespaced(client.clone(), NAMESPACE);
    if leases.get_opt(NAME).await.unwrap().is_some() {
        leases.delete(NAME, &DeleteParams::default()).await.unwrap();
    }
    let mut role = roles::for_the_lease();
    let rules = role.rules.as_mut().unwrap();
    rules.iter_mut().for_each(|rule| rule.verbs.retain(|it| Some(it.as_str()) != verb));
    rules.retain(|rule| !rule.verbs.is_empty());
    let roles: Api<Role> = Api::namespaced(client, NAMESPACE);
    let rules = Patch::Merge(json!({"rules": role.rules}));
    roles.patch("jobsworth-lease", &PatchParams::default(), &rules).await.unwrap();

    let controller = bench.controller(CATALOGUE.cases[0], attempt, "candidate", &[]).await.unwrap();
    controller.instance.start().await.unwrap();
    let done = held(&leases).await;
    controller.instance.kill().await.unwrap();
    done
}

async fn held(leases: &Api<Lease>) -> Result<(), String> {
    let spec = async || leases.get_opt(NAME).await.unwrap().and_then(|lease| lease.spec);
    within("the lease is taken", async || spec().await.is_some_and(|spec| spec.holder_identity.is_some())).await?;
    within("the lease is renewed", async || spec().await.is_some_and(|spec| spec.renew_time != spec.acquire_time)).await
}

/// The namespace, the deployed role in it, and who has it.
pub async fn deploy(client: &Client) {
    let name = json!({"metadata": {"name": NAMESPACE}});
    let namespace: Namespace = serde_json::from_value(name).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap();
    let binding = json!({
        "metadata": {"name": "jobsworth-lease"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "jobsworth-lease"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}],
    });
    let binding: RoleBinding = serde_json::from_value(binding).unwrap();
    let role = roles::for_the_lease();
    Api::namespaced(client.clone(), NAMESPACE).create(&PostParams::default(), &role).await.unwrap();
    Api::namespaced(client.clone(), NAMESPACE).create(&PostParams::default(), &binding).await.unwrap();
}
