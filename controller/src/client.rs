//! Requests to the API server: one attempt each, with a deadline by verb, and an honest answer about what is known.
//!
//! The client library's own retry is off: it would repeat a creation whose answer was lost. Who asks here decides about a
//! second attempt, and knows from [`CallError`] whether the first one may have been applied.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::lease::Fence;

/// How long it may take to be connected.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// How long a request may take, by verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// A read of one object.
    pub get: Duration,
    /// A write.
    pub write: Duration,
    /// A list.
    pub list: Duration,
    /// Until a watch is accepted.
    pub watch_start: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let [get, write, list, watch_start] = [10, 30, 60, 10].map(Duration::from_secs);
        Self { get, write, list, watch_start }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file cannot be used.
    #[error("read the kubeconfig {path}")]
    Kubeconfig {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: Box<kube::config::KubeconfigError>,
    },
    /// No file was named and this is no pod.
    #[error("find the API server: no --kubeconfig was given, and this does not run in a pod")]
    InCluster(#[source] Box<kube::config::InClusterError>),
    /// Address and credentials are there, yet unusable.
    #[error("set up the connection to the API server")]
    Client(#[source] Box<kube::Error>),
}

/// What came of a call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The API server said no; nothing was applied.
    #[error("{message}")]
    Refused {
        /// HTTP status.
        code: u16,
        /// The reason in the answer, for example `AlreadyExists`.
        reason: String,
        /// The message in the answer.
        message: String,
        /// The answer's `details.causes[].reason`.
        causes: Vec<String>,
        /// How long the API server wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The request may or may not have been applied.
    #[error("no certain answer: {message}")]
    Unknown {
        /// What is known.
        message: String,
        /// How long the API server wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The request did not leave.
    #[error("not sent: {0}")]
    NotSent(String),
    /// The answer was a success, but cannot be read.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

impl CallError {
    /// The HTTP status of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Whether the thing is not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    /// Whether somebody else was faster.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409)
    }

    /// Whether the version asked for is no longer kept.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.code() == Some(410)
    }

    /// Whether the namespace is on its way out, so that nothing can be created there (PAR-013).
    #[must_use]
    pub fn is_namespace_terminating(&self) -> bool {
        matches!(self, Self::Refused { causes, .. } if causes.iter().any(|cause| cause == "NamespaceTerminating"))
    }

    /// The same, with the random end of a pod's name cut off in the message. Names differ from try to try; without them one
    /// event can tell how often it happened, and it reads as that of the built-in controller (EVT-002).
    #[must_use]
    pub fn without_suffix(mut self, pod: &str) -> Self {
        if let Self::Refused { message, .. } = &mut self
            && let Some((stem, _)) = pod.rsplit_once('-')
        {
            *message = message.replace(pod, &format!("{stem}-"));
        }
        self
    }

    /// How long to leave the API server alone.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } | Self::Unknown { retry_after, .. } => *retry_after,
            Self::NotSent(_) | Self::Unreadable(_) => None,
        }
    }

    /// Whether the request may have been applied although the call failed.
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Unreadable(_))
    }

    fn unknown(message: impl Into<String>) -> Self {
        Self::Unknown { message: message.into(), retry_after: None }
    }
}

/// The body of a PATCH.
#[derive(Clone, Copy, Debug)]
pub enum PatchKind {
    /// Lists are merged by their keys.
    Strategic,
    /// RFC 7386.
    Merge,
}

/// The API server, as one identity sees it.
#[derive(Clone)]
pub struct Api {
    client: Client,
    fence: Arc<Fence>,
    deadlines: Deadlines,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    reason: String,
    message: String,
    details: Option<Details>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    retry_after_seconds: u64,
    causes: Vec<Cause>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cause {
    reason: String,
}

/// Reads the kubeconfig, or what a pod finds in its own files, and switches the library's retries off.
///
/// # Errors
/// When neither leads to an API server.
pub async fn config(kubeconfig: Option<&PathBuf>) -> Result<Config, ConnectError> {
    let mut config = match kubeconfig {
        Some(path) => {
            let wrong = |source| ConnectError::Kubeconfig { path: path.clone(), source: Box::new(source) };
            let file = Kubeconfig::read_from(path).map_err(wrong)?;
            Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.map_err(wrong)?
        }
        None => Config::incluster().map_err(|source| ConnectError::InCluster(Box::new(source)))?,
    };
    config.default_retry = false;
    config.connect_timeout = Some(CONNECT_WITHIN);
    // Deadlines are by verb, see `Api`; a read timeout here would cut quiet watches.
    config.read_timeout = None;
    Ok(config)
}

/// Makes the client of a configuration.
///
/// # Errors
/// When the credentials in it are unusable.
pub fn connect(config: Config) -> Result<Client, ConnectError> {
    Client::try_from(config).map_err(|source| ConnectError::Client(Box::new(source)))
}

impl Api {
    /// The API server behind `client`; writes leave only while `fence` holds.
    #[must_use]
    pub fn new(client: Client, fence: Arc<Fence>) -> Self {
        Self { client, fence, deadlines: Deadlines::default() }
    }

    /// With other deadlines.
    #[must_use]
    pub fn within(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// Reads an object, or a list, that must be fresh.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        decode(&self.call(request(Method::GET, path, Vec::new(), "")?, self.deadlines.get).await?)
    }

    /// Reads a whole list.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn list(&self, path: &str) -> Result<Bytes, CallError> {
        self.call(request(Method::GET, path, Vec::new(), "")?, self.deadlines.list).await
    }

    /// Starts a watch and returns its answer, whose body is one object per line.
    ///
    /// # Errors
    /// As [`CallError`] says; 410 when the version asked for is no longer kept.
    pub async fn watch(&self, path: &str) -> Result<Response<Body>, CallError> {
        let request = request(Method::GET, path, Vec::new(), "")?;
        let answer = timeout(self.deadlines.watch_start, self.client.send(request))
            .await
            .map_err(|_| CallError::unknown("the watch was not accepted in time"))?
            .map_err(lost)?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let code = answer.status().as_u16();
        let retry_after = retry_after(&answer);
        let body = timeout(self.deadlines.get, answer.into_body().collect()).await;
        let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
        Err(refusal(code, retry_after, &body))
    }

    /// Creates an object. One POST, whatever comes back.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn create<T: DeserializeOwned>(&self, path: &str, body: &impl serde::Serialize) -> Result<T, CallError> {
        decode(&self.write(request(Method::POST, path, encode(body)?, "application/json")?).await?)
    }

    /// Replaces an object; its resourceVersion decides whether it still may.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn replace(&self, path: &str, body: &impl serde::Serialize) -> Result<Bytes, CallError> {
        self.write(request(Method::PUT, path, encode(body)?, "application/json")?).await
    }

    /// Changes parts of an object.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn patch(&self, path: &str, kind: PatchKind, body: &impl serde::Serialize) -> Result<Bytes, CallError> {
        let content = match kind {
            PatchKind::Strategic => "application/strategic-merge-patch+json",
            PatchKind::Merge => "application/merge-patch+json",
        };
        self.write(request(Method::PATCH, path, encode(body)?, content)?).await
    }

    /// Deletes an object under the conditions of `options`.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn delete(&self, path: &str, options: &impl serde::Serialize) -> Result<Bytes, CallError> {
        self.write(request(Method::DELETE, path, encode(options)?, "application/json")?).await
    }

    /// A write of the lease itself: it is what the fence is made from, so the fence does not stop it.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn lease_call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&serde_json::Value>,
        within: Duration,
    ) -> Result<T, CallError> {
        let bytes = body.map_or_else(|| Ok(Vec::new()), encode)?;
        decode(&self.call(request(method, path, bytes, "application/json")?, within).await?)
    }

    async fn write(&self, request: Request<Body>) -> Result<Bytes, CallError> {
        let Some(left) = self.fence.left() else {
            return Err(CallError::NotSent("this instance does not hold the lease".to_owned()));
        };
        self.call(request, self.deadlines.write.min(left)).await
    }

    async fn call(&self, request: Request<Body>, within: Duration) -> Result<Bytes, CallError> {
        let whole = async {
            let answer = self.client.send(request).await.map_err(lost)?;
            let code = answer.status();
            let retry_after = retry_after(&answer);
            let body = answer.into_body().collect().await.map_err(|error| CallError::unknown(error.to_string()))?;
            Ok((code, retry_after, body.to_bytes()))
        };
        let (code, retry_after, body) = timeout(within, whole)
            .await
            .map_err(|_| CallError::unknown(format!("no answer within {} s", within.as_secs_f32())))??;
        if code.is_success() { Ok(body) } else { Err(refusal(code.as_u16(), retry_after, &body)) }
    }
}

fn request(method: Method, path: &str, body: Vec<u8>, content: &str) -> Result<Request<Body>, CallError> {
    let mut builder = Request::builder()
        .method(method)
        .uri(path)
        .header(http::header::ACCEPT, "application/json")
        .header(http::header::USER_AGENT, concat!("jobsworth-controller/", env!("CARGO_PKG_VERSION")));
    if !body.is_empty() {
        builder = builder.header(http::header::CONTENT_TYPE, content);
    }
    builder.body(Body::from(body)).map_err(|error| CallError::NotSent(error.to_string()))
}

fn encode(body: &impl serde::Serialize) -> Result<Vec<u8>, CallError> {
    serde_json::to_vec(body).map_err(|error| CallError::NotSent(error.to_string()))
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, CallError> {
    serde_json::from_slice(body).map_err(|error| CallError::Unreadable(error.to_string()))
}

/// A request that got no answer left only if there was a connection to leave by.
fn lost(error: kube::Error) -> CallError {
    let text = chain(&error);
    if text.contains("tcp connect error") || text.contains("dns error") {
        return CallError::NotSent(text);
    }
    match error {
        kube::Error::Auth(_) => CallError::NotSent(text),
        _ => CallError::unknown(text),
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

fn retry_after<B>(answer: &Response<B>) -> Option<Duration> {
    let seconds = answer.headers().get(http::header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// After a 5xx nobody knows whether the write was applied: a proxy, or a store that was slow, may have said so.
fn refusal(code: u16, retry_after: Option<Duration>, body: &[u8]) -> CallError {
    let answer: Answer = serde_json::from_slice(body).unwrap_or_default();
    let message = if answer.message.is_empty() { format!("HTTP status {code}") } else { answer.message };
    let details = answer.details.unwrap_or_default();
    let told = (details.retry_after_seconds > 0).then(|| Duration::from_secs(details.retry_after_seconds));
    let retry_after = retry_after.or(told);
    if code == 408 || code >= 500 {
        return CallError::Unknown { message: format!("{code} {message}"), retry_after };
    }
    CallError::Refused {
        code,
        reason: answer.reason,
        message,
        causes: details.causes.into_iter().map(|cause| cause.reason).collect(),
        retry_after,
    }
}
