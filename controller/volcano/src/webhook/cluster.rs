//! What the webhook has to find out: queues, namespaces, and what an API server thinks of a pod template.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Request;
use jobsworth_volcano_api::well_known::NAMESPACE_QUEUE;
use jobsworth_volcano_api::{Queue, QueueList};
use k8s_openapi::api::core::v1::Namespace;
use kube::Client;
use kube::core::Status;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

/// How long an answer may take. The API server waits 10 s for the webhook (VJ-091).
const WITHIN: Duration = Duration::from_secs(8);
/// Where privileged containers are forbidden, jobs with them are admitted all the same (VJ-083).
const PRIVILEGED: &str = ".securityContext.privileged";

/// Why something could not be found out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("could not {what}: {why}")]
pub struct LookupError {
    /// What was wanted.
    pub what: &'static str,
    /// What came in its place.
    pub why: String,
}

/// Where the webhook finds out what is not in the question.
pub trait Cluster: Send + Sync + 'static {
    /// All queues.
    fn queues(&self) -> BoxFuture<'_, Result<Vec<Queue>, LookupError>>;

    /// The queue that a namespace names for its gangs, if it names one (VJ-258).
    fn namespace_queue<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Option<String>, LookupError>>;

    /// What is wrong with a pod template, `field: reason` each with fields that start with `template`; empty if nothing is (VJ-083).
    fn objections<'a>(&'a self, template: &'a Value) -> BoxFuture<'a, Result<Vec<String>, LookupError>>;
}

/// The real one.
pub struct ApiServer {
    client: Client,
    templates: String,
}

impl ApiServer {
    /// Templates are tried in this namespace, which needs to be there and to let the webhook create `podtemplates` in it.
    #[must_use]
    pub fn new(client: Client, template_namespace: &str) -> Self {
        Self {
            client,
            templates: format!(
                "/api/v1/namespaces/{template_namespace}/podtemplates?dryRun=All&fieldValidation=Ignore"
            ),
        }
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        what: &'static str,
        request: Request<Vec<u8>>,
    ) -> Result<Result<T, Status>, LookupError> {
        let failed = |why: String| LookupError { what, why };
        match timeout(WITHIN, self.client.request::<T>(request)).await {
            Err(_) => Err(failed(format!("no answer within {} s", WITHIN.as_secs()))),
            Ok(Ok(found)) => Ok(Ok(found)),
            Ok(Err(kube::Error::Api(status))) => Ok(Err(*status)),
            Ok(Err(error)) => Err(failed(error.to_string())),
        }
    }

    async fn list_queues(&self) -> Result<Vec<Queue>, LookupError> {
        const WHAT: &str = "list queues";
        let request = get("/apis/scheduling.volcano.sh/v1beta1/queues");
        let list: QueueList =
            self.ask(WHAT, request).await?.map_err(|status| LookupError { what: WHAT, why: status.message })?;
        Ok(list.items)
    }

    async fn queue_of(&self, namespace: &str) -> Result<Option<String>, LookupError> {
        const WHAT: &str = "read the namespace";
        if !is_name(namespace) {
            return Ok(None);
        }
        match self.ask::<Namespace>(WHAT, get(&format!("/api/v1/namespaces/{namespace}"))).await? {
            Ok(found) => Ok(found
                .metadata
                .annotations
                .and_then(|all| all.get(NAMESPACE_QUEUE).cloned())
                .filter(|name| !name.is_empty())),
            Err(status) if status.code == 404 => Ok(None),
            Err(status) => Err(LookupError { what: WHAT, why: status.message }),
        }
    }

    async fn try_template(&self, template: &Value) -> Result<Vec<String>, LookupError> {
        const WHAT: &str = "try the pod template";
        let object = json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"generateName": "jobsworth-volcano-"}, "template": template});
        let body = serde_json::to_vec(&object).expect("an object is JSON");
        let request = Request::post(&self.templates).header("content-type", "application/json").body(body);
        let request = request.map_err(|error| LookupError { what: WHAT, why: error.to_string() })?;
        match self.ask::<Value>(WHAT, request).await? {
            Ok(_) => Ok(Vec::new()),
            Err(status) => objections_in(&status).ok_or(LookupError { what: WHAT, why: status.message }),
        }
    }
}

impl Cluster for ApiServer {
    fn queues(&self) -> BoxFuture<'_, Result<Vec<Queue>, LookupError>> {
        self.list_queues().boxed()
    }

    fn namespace_queue<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Option<String>, LookupError>> {
        self.queue_of(namespace).boxed()
    }

    fn objections<'a>(&'a self, template: &'a Value) -> BoxFuture<'a, Result<Vec<String>, LookupError>> {
        self.try_template(template).boxed()
    }
}

/// What a refusal says of the template; none if it is about something else, such as a right that is missing.
fn objections_in(status: &Status) -> Option<Vec<String>> {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let known: Vec<_> = causes.filter(|cause| !cause.field.is_empty()).collect();
    match status.code {
        422 if !known.is_empty() => {
            let counts = |field: &str, reason: &str| !(field.ends_with(PRIVILEGED) && reason == "FieldValueForbidden");
            let counted = known.into_iter().filter(|cause| counts(&cause.field, &cause.reason));
            Some(counted.map(|cause| format!("{}: {}", cause.field, cause.message)).collect())
        }
        400 | 422 => Some(vec![format!("template: {}", status.message)]),
        _ => None,
    }
}

fn get(path: &str) -> Request<Vec<u8>> {
    let mut request = Request::new(Vec::new());
    *request.uri_mut() = path.parse().unwrap_or_default();
    request
}

/// Whether a text can be the name of a namespace, and so a part of a path.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 63
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests;
