//! The identity of tenants: a service account with a token, which may use Jobs in its own namespace, and look at those of a trial.

use std::time::Duration;

use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};
use tokio::time::{Instant, interval};

use crate::load::Trouble;
use crate::load::strangers::TENANTS;

/// The service account, the roles and their bindings.
const NAME: &str = TENANTS;
const RBAC: &str = "rbac.authorization.k8s.io";
/// How long the token is good, in seconds.
const VALID_S: i64 = 2 * 60 * 60;
/// How long it may take until the API server knows of a new role.
const KNOWN: Duration = Duration::from_secs(20);

/// Makes the service account in `own`, with the rights of a user there and those of a guest in `others`; its token, once the rights
/// hold.
///
/// # Errors
/// When the API server refuses something, or the rights do not hold in time.
pub async fn grant(client: &kube::Client, own: &str, others: &[String]) -> Result<String, Trouble> {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME}});
    post(client, &format!("/api/v1/namespaces/{own}/serviceaccounts"), &account).await?;
    let jobs = ["create", "get", "list", "patch", "delete", "deletecollection"];
    allow(client, own, own, &jobs).await?;
    for other in others {
        allow(client, other, own, &["get", "list"]).await?;
    }
    for place in others.iter().map(String::as_str).chain([own]) {
        until_it_holds(client, place, own).await?;
    }
    token(client, own).await
}

/// Whoever may do so with Jobs may look at pods, too.
async fn allow(client: &kube::Client, place: &str, own: &str, verbs: &[&str]) -> Result<(), Trouble> {
    let base = format!("/apis/{RBAC}/v1/namespaces/{place}");
    post(client, &format!("{base}/roles"), &role(verbs)).await?;
    post(client, &format!("{base}/rolebindings"), &binding(own)).await.map(drop)
}

fn role(verbs: &[&str]) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "Role", "metadata": {"name": NAME},
        "rules": [
            {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": verbs},
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
        ],
    })
}

fn binding(own: &str) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "RoleBinding", "metadata": {"name": NAME},
        "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": own}],
    })
}

/// Waits until the API server has heard of the role: a refusal before that would be no fault of its.
async fn until_it_holds(client: &kube::Client, place: &str, own: &str) -> Result<(), Trouble> {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {
            "user": format!("system:serviceaccount:{own}:{NAME}"),
            "resourceAttributes": {"namespace": place, "verb": "list", "group": "batch", "resource": "jobs"},
        },
    });
    let mut look = interval(Duration::from_millis(50));
    let begun = Instant::now();
    loop {
        look.tick().await;
        let answer = post(client, "/apis/authorization.k8s.io/v1/subjectaccessreviews", &review).await?;
        let answer: Value =
            serde_json::from_str(&answer).map_err(|error| Trouble::of("ask for the rights of the tenants", &error))?;
        if answer["status"]["allowed"] == true {
            return Ok(());
        }
        if begun.elapsed() > KNOWN {
            return Err(Trouble::new(format!("the tenants may not look at {place} after {} s", KNOWN.as_secs())));
        }
    }
}

async fn token(client: &kube::Client, own: &str) -> Result<String, Trouble> {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), own);
    let spec = TokenRequestSpec { expiration_seconds: Some(VALID_S), ..TokenRequestSpec::default() };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let answer = accounts.create_token_request(NAME, &PostParams::default(), &request).await;
    let answer = answer.map_err(|error| Trouble::of("get a token for the tenants", &error))?;
    let token = answer.status.and_then(|status| status.token);
    token.ok_or_else(|| Trouble::new("the API server gave the tenants no token"))
}

/// Makes something; the text of the answer.
async fn post(client: &kube::Client, path: &str, body: &Value) -> Result<String, Trouble> {
    let failed = |error: &dyn std::error::Error| Trouble::of("give the tenants their rights", error);
    let request = http::Request::post(path).header(http::header::CONTENT_TYPE, "application/json");
    let request = request.body(body.to_string().into_bytes()).map_err(|error| failed(&error))?;
    client.request_text(request).await.map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_changes_nothing_and_nobody_may_do_anything_else() {
        let guest = role(&["get", "list"]);
        assert_eq!(guest["rules"][0], json!({"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["get", "list"]}));
        assert_eq!(guest["rules"][1], json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}));
        assert_eq!(guest["rules"].as_array().map(Vec::len), Some(2));
        assert_eq!(binding("here")["subjects"][0]["namespace"], "here");
    }
}
