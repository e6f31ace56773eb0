//! The transport with decorators in it: what the controller asks passes the bug, the log and the weather, in this order, and
//! what it is told comes back the same way.

mod frames;
pub mod log;

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Method, Request, Response, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use jobsworth_controller::parts::Transport;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::decorator::{Decorator, Fate, Next};
use log::Log;

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    /// The verb.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query.
    pub query: String,
    /// The content type.
    content: Option<header::HeaderValue>,
    /// What it carries; null when it is nothing.
    pub body: Value,
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub code: u16,
    /// Seconds that the API server wants to be left alone.
    pub retry_after: Option<String>,
    /// What it carries.
    pub body: Bytes,
}

impl Call {
    /// Whether it creates a pod.
    #[must_use]
    pub fn creates_a_pod(&self) -> bool {
        self.method == Method::POST && self.path.ends_with("/pods")
    }

    /// Whether it takes a finalizer off a pod.
    #[must_use]
    pub fn releases_a_pod(&self) -> bool {
        self.method == Method::PATCH
            && self.path.contains("/pods/")
            && self.body["metadata"].get("$deleteFromPrimitiveList/finalizers").is_some()
    }

    /// Whether it writes the status of a Job.
    #[must_use]
    pub fn writes_a_status(&self) -> bool {
        self.method == Method::PUT && self.path.contains("/jobs/") && self.path.ends_with("/status")
    }

    /// Whether it deletes a Job.
    #[must_use]
    pub fn deletes_a_job(&self) -> bool {
        self.method == Method::DELETE && self.path.contains("/jobs/")
    }

    /// Whether it is about a lease.
    #[must_use]
    pub fn is_about_a_lease(&self) -> bool {
        self.path.contains("/leases")
    }

    /// Whether it starts a watch.
    #[must_use]
    pub fn is_watch(&self) -> bool {
        self.query.contains("watch=true")
    }

    /// Whether it reads one object only, to learn how far history has come.
    #[must_use]
    pub fn is_a_glance(&self) -> bool {
        self.query.ends_with("limit=1")
    }

    /// Whether it lists or watches this resource everywhere.
    #[must_use]
    pub fn reads_all(&self, resource: &str) -> bool {
        self.method == Method::GET && !self.path.contains("/namespaces/") && self.path.ends_with(resource)
    }

    /// Whether it changes a lease that is there.
    #[must_use]
    pub fn changes_a_lease(&self) -> bool {
        self.is_about_a_lease() && (self.method == Method::PUT || self.method == Method::PATCH)
    }

    /// A replacement becomes a merge patch with the same body.
    pub fn becomes_a_patch(&mut self) {
        self.method = Method::PATCH;
        self.content = Some(header::HeaderValue::from_static("application/merge-patch+json"));
    }

    async fn read(request: Request<Body>) -> kube::Result<Self> {
        let (head, body) = request.into_parts();
        let body = body.collect_bytes().await?;
        Ok(Self {
            method: head.method,
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            content: head.headers.get(header::CONTENT_TYPE).cloned(),
            body: serde_json::from_slice(&body).unwrap_or_default(),
        })
    }

    fn request(&self) -> kube::Result<Request<Body>> {
        let query = if self.query.is_empty() { String::new() } else { format!("?{}", self.query) };
        let mut builder = Request::builder()
            .method(self.method.clone())
            .uri(format!("{}{query}", self.path))
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, "jobsworth-mutant");
        if let Some(content) = &self.content {
            builder = builder.header(header::CONTENT_TYPE, content);
        }
        let body = if self.body.is_null() { Vec::new() } else { self.body.to_string().into_bytes() };
        builder.body(Body::from(body)).map_err(kube::Error::HttpError)
    }
}

impl Answer {
    /// A success with this body.
    #[must_use]
    pub fn ok(body: &Value) -> Self {
        Self { code: 200, retry_after: None, body: body.to_string().into() }
    }

    /// A refusal.
    #[must_use]
    pub fn refusal(code: u16, reason: &str) -> Self {
        let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason});
        Self { code, retry_after: None, body: body.to_string().into() }
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn response(self) -> kube::Result<Response<Payload>> {
        let mut builder = Response::builder().status(self.code).header(header::CONTENT_TYPE, "application/json");
        if let Some(seconds) = self.retry_after {
            builder = builder.header(header::RETRY_AFTER, seconds);
        }
        let body = Full::new(self.body).map_err(|never| match never {}).boxed_unsync();
        builder.body(body).map_err(kube::Error::HttpError)
    }
}

/// The body of an answer on its way back.
type Payload = UnsyncBoxBody<Bytes, std::io::Error>;

/// What comes back: an answer that has ended, or a watch that goes on.
enum Reply {
    Whole(Answer),
    Stream(Response<Payload>),
}

/// A client with decorators in it.
#[derive(Clone)]
struct Carrier {
    inner: Client,
    bug: Arc<dyn Decorator>,
    weather: Arc<dyn Decorator>,
    log: Arc<Log>,
}

/// Puts bug, log and weather into a transport.
pub fn transport(bug: Arc<dyn Decorator>, weather: Arc<dyn Decorator>, log: Arc<Log>) -> Transport {
    Arc::new(move |inner| {
        let carrier = Carrier { inner, bug: Arc::clone(&bug), weather: Arc::clone(&weather), log: Arc::clone(&log) };
        let service = tower::service_fn(move |request| {
            let carrier = carrier.clone();
            async move { carrier.carry(request).await }
        });
        Client::new(service, "default")
    })
}

impl Carrier {
    async fn carry(&self, request: Request<Body>) -> kube::Result<Response<Payload>> {
        let call = Call::read(request).await?;
        match self.pass(&[&self.bug, &self.weather], call).await? {
            Reply::Whole(answer) => answer.response(),
            Reply::Stream(response) => Ok(response),
        }
    }

    /// Through the first of the decorators, and those behind it.
    fn pass<'a>(&'a self, through: &'a [&'a Arc<dyn Decorator>], mut call: Call) -> BoxFuture<'a, kube::Result<Reply>> {
        async move {
            let Some((first, behind)) = through.split_first() else { return self.send(&call).await };
            match first.ask(&mut call) {
                Fate::Send => {}
                Fate::Late(time) => tokio::time::sleep(time).await,
                Fate::Answered(answer) => return Ok(Reply::Whole(answer)),
                Fate::Swallowed => return std::future::pending().await,
            }
            loop {
                // What leaves the bug is what the controller asks.
                let entry = (through.len() == 2).then(|| self.log.asked(&call));
                let mut answer = match self.pass(behind, call.clone()).await? {
                    Reply::Stream(response) => {
                        return Ok(Reply::Stream(frames::through(Arc::clone(first), call, response)));
                    }
                    Reply::Whole(answer) => answer,
                };
                if let Some(entry) = entry {
                    self.log.told(entry, &call, &answer);
                }
                if first.shows() && answer.code == 200 {
                    frames::in_list(&***first, &call, &mut answer);
                }
                if first.told(&call, &mut answer) == Next::Take {
                    return Ok(Reply::Whole(answer));
                }
            }
        }
        .boxed()
    }

    async fn send(&self, call: &Call) -> kube::Result<Reply> {
        let response = self.inner.send(call.request()?).await?;
        if call.is_watch() && response.status().is_success() {
            return Ok(Reply::Stream(response.map(|body| body.map_err(std::io::Error::other).boxed_unsync())));
        }
        let code = response.status().as_u16();
        let retry_after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        let body = response.into_body().collect().await?.to_bytes();
        Ok(Reply::Whole(Answer { code, retry_after, body }))
    }
}
