//! What a line of the API server's audit log says of a request of the controller under test.

mod request;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jobsworth_api::resource::with_group;
use serde::Deserialize;
use serde_json::Value;

/// The controllers under test, whoever plays them: their service accounts, which every kubeconfig of a subject names.
pub const SUBJECTS: [&str; 2] = [
    "system:serviceaccount:kube-system:job-controller",
    "system:serviceaccount:kube-system:ttl-after-finished-controller",
];

/// An answered request of a subject, as far as it matters.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditLine {
    stage: String,
    /// For example `create`.
    pub verb: String,
    user: User,
    object_ref: Option<Object>,
    response_status: Option<Status>,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    /// When the API server received it.
    pub request_received_timestamp: Timestamp,
    /// When it had come as far as the line says.
    stage_timestamp: Option<Timestamp>,
    /// Path and query.
    #[serde(default, rename = "requestURI")]
    request_uri: String,
    /// What was sent, and what was answered, as far as the policy has that written down.
    request_object: Option<Value>,
    response_object: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct User {
    username: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Object {
    api_group: String,
    resource: String,
    namespace: String,
    name: String,
    subresource: String,
}

#[derive(Debug, Deserialize)]
struct Status {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    message: String,
    details: Option<Details>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    retry_after_seconds: Option<u32>,
}

impl AuditLine {
    /// The request of a line, whoever made it and however far it came.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(line: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(line)
    }

    /// The request of a line, if it was answered and is a subject's.
    #[must_use]
    pub fn of_subject(line: &[u8]) -> Option<Self> {
        Self::read(line).ok().filter(Self::is_answered_subject)
    }

    /// Whether it was answered.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.stage == "ResponseComplete"
    }

    /// Whether it was answered and is a subject's.
    #[must_use]
    pub fn is_answered_subject(&self) -> bool {
        self.is_answered() && SUBJECTS.contains(&self.user())
    }

    /// Whose request it is.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user.username
    }

    /// The HTTP status of the answer; 0 where the log has none.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.response_status.as_ref().map_or(0, |status| status.code)
    }

    /// Whether authorization refused it, and not admission or validation.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.annotations.get("authorization.k8s.io/decision").is_some_and(|decision| decision == "forbid")
    }

    /// Which object it is about: namespace and name; nothing where it is about none, or about one that has no name yet.
    #[must_use]
    pub fn object(&self) -> Option<String> {
        let Object { namespace, name, .. } = self.object_ref.as_ref()?;
        (!name.is_empty()).then(|| format!("{namespace}/{name}"))
    }

    /// The kind of request, for example `update jobs/status`.
    #[must_use]
    pub fn request(&self) -> String {
        let Some(Object { api_group, resource, subresource, .. }) = &self.object_ref else { return self.verb.clone() };
        let slash = if subresource.is_empty() { "" } else { "/" };
        format!("{} {}{slash}{subresource}", self.verb, with_group(api_group, resource))
    }
}
