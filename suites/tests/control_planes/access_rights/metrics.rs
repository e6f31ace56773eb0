//! Who reads the controller's metrics under the deployed roles, and what the controller needs to find it out.

use http::Request;
use jobsworth_harness::cluster::layout::Layout;
use jobsworth_harness::cluster::{Cluster as _, Component, local::LocalCluster};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Client, Config};
use serde_json::{Value, json};

use super::roles;

const ACCESS: &str = "jobsworth-metrics-access";
const READER: &str = "jobsworth-metrics-reader";
/// The identity that the harness gives to the controller.
const CONTROLLER: &str = "system:serviceaccount:kube-system:job-controller";
const NAMESPACE: &str = "default";

/// The controller's server, and two who ask.
pub struct Readers {
    client: Client,
    url: String,
    /// A token of one who has the deployed reader's role.
    pub reader: String,
    /// A token of one who has no role.
    pub stranger: String,
}

impl Readers {
    /// Creates both, and the deployed roles.
    pub async fn on(cluster: &LocalCluster) -> Self {
        let client = cluster.client();
        let site: &Layout = cluster.site();
        for role in [ACCESS, READER] {
            let role = roles::cluster_role(role);
            Api::<ClusterRole>::all(client.clone()).create(&PostParams::default(), &role).await.unwrap();
        }
        bind(&client, ACCESS, json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": CONTROLLER}))
            .await;
        bind(&client, READER, json!({"kind": "ServiceAccount", "name": "reader", "namespace": NAMESPACE})).await;
        let (reader, stranger) = (token(&client, "reader").await, token(&client, "stranger").await);
        Self { url: site.url(Component::Subject), client, reader, stranger }
    }

    /// Leaves the controller only those rules of its role that are about this.
    pub async fn may_ask_for(&self, resources: &[&str]) {
        let mut rules = roles::cluster_role(ACCESS).rules.unwrap();
        let meant = |rule: &PolicyRule| rule.resources.iter().flatten().any(|it| resources.contains(&it.as_str()));
        rules.retain(meant);
        let api: Api<ClusterRole> = Api::all(self.client.clone());
        let rules = Patch::Merge(json!({"rules": rules}));
        api.patch(ACCESS, &PatchParams::default(), &rules).await.unwrap();
    }

    /// How the controller answers.
    pub async fn code(&self, path: &str, token: Option<&str>) -> u16 {
        let mut config = Config::new(self.url.parse().unwrap());
        config.accept_invalid_certs = true;
        config.default_retry = false;
        config.auth_info.token = token.map(|token| token.to_owned().into());
        let caller = Client::try_from(config).unwrap();
        caller.send(Request::get(path).body(Body::empty()).unwrap()).await.unwrap().status().as_u16()
    }
}

async fn bind(client: &Client, role: &str, subject: Value) {
    let binding = json!({
        "metadata": {"name": role},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [subject],
    });
    let binding: ClusterRoleBinding = serde_json::from_value(binding).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &binding).await.unwrap();
}

async fn token(client: &Client, account: &str) -> String {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), NAMESPACE);
    let named = serde_json::from_value(json!({"metadata": {"name": account}})).unwrap();
    accounts.create(&PostParams::default(), &named).await.unwrap();
    let asked: TokenRequest = serde_json::from_value(json!({"spec": {"audiences": []}})).unwrap();
    let answer = accounts.create_token_request(account, &PostParams::default(), &asked).await.unwrap();
    answer.status.unwrap().token.unwrap()
}
