//! Requests to the API server: one attempt each, with a deadline by verb, and an honest answer about what is known.
//!
//! The client library's own retry is off: it would repeat a creation whose answer was lost. Who asks here decides about a
//! second attempt, and knows from [`CallError`] whether the first one may have been applied.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::{Body, ClientBuilder};
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::fence::Fence;
use crate::metrics::{ClientRequestLabels, Metrics};

mod error;

pub use error::CallError;
use error::{lost, refusal, retry_after};

/// Who asks, unless it is said otherwise.
const USER_AGENT: &str = concat!("jobsworth-controller-runtime/", env!("CARGO_PKG_VERSION"));
/// How long it may take to be connected.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// How long a request may take, by verb, from the call to the last byte of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// A read of one object. 10 s by default.
    pub get: Duration,
    /// A write, at most for as long as the fence holds. 30 s by default.
    pub write: Duration,
    /// A page of a list. 60 s by default.
    pub list: Duration,
    /// Until a watch is accepted. 10 s by default.
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

/// The body of a PATCH.
#[derive(Clone, Copy, Debug)]
pub enum PatchKind {
    /// `application/strategic-merge-patch+json`: lists are merged by their keys.
    Strategic,
    /// `application/merge-patch+json` of RFC 7386: lists are replaced.
    Merge,
}

/// The API server, as one identity sees it. Paths are absolute, with their query if there is one.
#[derive(Clone)]
pub struct Api {
    client: Client,
    fence: Arc<Fence>,
    deadlines: Deadlines,
    user_agent: HeaderValue,
    counted: Option<Arc<Metrics>>,
}

/// A request that was sent. It is counted once: when it was answered, or when nobody waits for its answer any more.
struct Sent<'a> {
    counted: Option<&'a Metrics>,
    method: Method,
    answered: Option<StatusCode>,
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        let Some(metrics) = self.counted else { return };
        let code = self.answered.as_ref().map_or("<error>", StatusCode::as_str).to_owned();
        let labels = ClientRequestLabels { code, method: self.method.as_str().to_owned() };
        metrics.client_requests.get_or_create(&labels).inc();
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
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
    without_retries(&mut config);
    config.connect_timeout = Some(CONNECT_WITHIN);
    // Deadlines are by verb, see `Api`; a read timeout here would cut quiet watches.
    config.read_timeout = None;
    Ok(config)
}

/// The library repeats every verb after a 429, 503 or 504.
fn without_retries(config: &mut Config) {
    config.default_retry = false;
}

/// Makes the client of a configuration, whose connections live only while `fence` holds.
///
/// A request that has passed every check may still wait for its connection's turn when the process is stopped; a connection
/// that is not run again after that sends nothing (S30).
///
/// # Errors
/// When the credentials in it are unusable.
pub fn connect(config: Config, fence: Arc<Fence>) -> Result<Client, ConnectError> {
    let builder = ClientBuilder::try_from((config, While(fence)));
    builder.map(ClientBuilder::build).map_err(|source| ConnectError::Client(Box::new(source)))
}

/// Makes the client that requests leave by from the one that was connected: another one is for tests that put faults in
/// between.
pub type Transport = Arc<dyn Fn(Client) -> Client + Send + Sync>;

/// Runs what a connection has to do for as long as the fence holds.
#[derive(Clone)]
struct While(Arc<Fence>);

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for While {
    fn execute(&self, connection: F) {
        let fence = Arc::clone(&self.0);
        tokio::spawn(async move { fence.during(connection).await });
    }
}

impl Api {
    /// The API server behind `client`; writes leave only while `fence` holds.
    #[must_use]
    pub fn new(client: Client, fence: Arc<Fence>) -> Self {
        let user_agent = HeaderValue::from_static(USER_AGENT);
        Self { client, fence, deadlines: Deadlines::default(), user_agent, counted: None }
    }

    /// Under another name in the header `User-Agent`, in the form `program/version`. Audit logs show it.
    #[must_use]
    pub fn as_agent(mut self, user_agent: HeaderValue) -> Self {
        self.user_agent = user_agent;
        self
    }

    /// With each request counted in [`Metrics::client_requests`].
    #[must_use]
    pub fn counted(mut self, metrics: Arc<Metrics>) -> Self {
        self.counted = Some(metrics);
        self
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
        decode(&self.call(self.request(Method::GET, path, Vec::new(), "")?, self.deadlines.get).await?)
    }

    /// Reads a list, or a page of one, as the bytes of its JSON.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn list(&self, path: &str) -> Result<Bytes, CallError> {
        self.call(self.request(Method::GET, path, Vec::new(), "")?, self.deadlines.list).await
    }

    /// Starts a watch and returns its answer, whose body is one `WatchEvent` of `meta/v1` per line.
    ///
    /// # Errors
    /// As [`CallError`] says; 410 when the version asked for is no longer kept.
    pub async fn watch(&self, path: &str) -> Result<Response<Body>, CallError> {
        let request = self.request(Method::GET, path, Vec::new(), "")?;
        let answer = timeout(self.deadlines.watch_start, self.send(request))
            .await
            .map_err(|_| CallError::unknown("the watch was not accepted in time"))??;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let code = answer.status().as_u16();
        let retry_after = retry_after(&answer);
        let body = timeout(self.deadlines.get, answer.into_body().collect()).await;
        let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
        Err(refusal(code, retry_after, &body))
    }

    /// Creates an object in the collection at `path`. One POST, whatever comes back.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn create<T: DeserializeOwned>(&self, path: &str, body: &impl serde::Serialize) -> Result<T, CallError> {
        decode(&self.write(self.request(Method::POST, path, encode(body)?, "application/json")?).await?)
    }

    /// Replaces the object at `path`; the resourceVersion in `body` decides whether it still may. Returns the new one as JSON.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn replace(&self, path: &str, body: &impl serde::Serialize) -> Result<Bytes, CallError> {
        self.write(self.request(Method::PUT, path, encode(body)?, "application/json")?).await
    }

    /// Changes parts of the object at `path`. Returns the new one as JSON.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn patch(&self, path: &str, kind: PatchKind, body: &impl serde::Serialize) -> Result<Bytes, CallError> {
        let content = match kind {
            PatchKind::Strategic => "application/strategic-merge-patch+json",
            PatchKind::Merge => "application/merge-patch+json",
        };
        self.write(self.request(Method::PATCH, path, encode(body)?, content)?).await
    }

    /// Deletes the object at `path` under the conditions of `options`, a `DeleteOptions` of `meta/v1`.
    ///
    /// # Errors
    /// As [`CallError`] says.
    pub async fn delete(&self, path: &str, options: &impl serde::Serialize) -> Result<Bytes, CallError> {
        self.write(self.request(Method::DELETE, path, encode(options)?, "application/json")?).await
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
        decode(&self.call(self.request(method, path, bytes, "application/json")?, within).await?)
    }

    async fn write(&self, request: Request<Body>) -> Result<Bytes, CallError> {
        let Some(left) = self.fence.left() else {
            return Err(CallError::NotSent("this instance does not hold the lease".to_owned()));
        };
        let called = self.fence.during(self.call(request, self.deadlines.write.min(left))).await;
        called.unwrap_or_else(|| Err(CallError::unknown("the lease ran out before there was an answer")))
    }

    async fn call(&self, request: Request<Body>, within: Duration) -> Result<Bytes, CallError> {
        let whole = async {
            let answer = self.send(request).await?;
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

    /// Sends a request, up to the head of its answer.
    async fn send(&self, request: Request<Body>) -> Result<Response<Body>, CallError> {
        let method = request.method().clone();
        let mut sent = Sent { counted: self.counted.as_deref(), method, answered: None };
        let answer = self.client.send(request).await;
        sent.answered = answer.as_ref().ok().map(Response::status);
        answer.map_err(lost)
    }

    fn request(&self, method: Method, path: &str, body: Vec<u8>, content: &str) -> Result<Request<Body>, CallError> {
        let mut builder = Request::builder()
            .method(method)
            .uri(path)
            .header(http::header::ACCEPT, "application/json")
            .header(http::header::USER_AGENT, &self.user_agent);
        if !body.is_empty() {
            builder = builder.header(http::header::CONTENT_TYPE, content);
        }
        builder.body(Body::from(body)).map_err(|error| CallError::NotSent(error.to_string()))
    }
}

fn encode(body: &impl serde::Serialize) -> Result<Vec<u8>, CallError> {
    serde_json::to_vec(body).map_err(|error| CallError::NotSent(error.to_string()))
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, CallError> {
    serde_json::from_slice(body).map_err(|error| CallError::Unreadable(error.to_string()))
}

#[cfg(test)]
mod tests;
