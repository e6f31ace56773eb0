//! A request of the controller, and what it is answered.

use bytes::Bytes;
use http::{Method, Request, Response, header};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use jobsworth_api::{RequestPath, Resource};
use kube::client::Body;
use serde_json::{Value, json};

/// The body of an answer on its way back.
pub(crate) type Payload = UnsyncBoxBody<Bytes, std::io::Error>;

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
    pub(crate) content: Option<header::HeaderValue>,
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
        self.creates(&Resource::PODS)
    }

    /// Whether it creates an object of this kind.
    #[must_use]
    pub fn creates(&self, resource: &Resource) -> bool {
        self.method == Method::POST && self.target().is_some_and(|path| path.name.is_none() && path.is_of(resource))
    }

    /// Whether it takes a finalizer off a pod.
    #[must_use]
    pub fn releases_a_pod(&self) -> bool {
        self.method == Method::PATCH
            && self.is_about_one(&Resource::PODS)
            && self.body["metadata"].get("$deleteFromPrimitiveList/finalizers").is_some()
    }

    /// Whether it writes the status of a Job.
    #[must_use]
    pub fn writes_a_status(&self) -> bool {
        self.method == Method::PUT && is_status_of_a_job(&self.path)
    }

    /// Whether it deletes a Job.
    #[must_use]
    pub fn deletes_a_job(&self) -> bool {
        self.method == Method::DELETE && self.is_about_one(&Resource::JOBS)
    }

    /// Whether it is about a lease.
    #[must_use]
    pub fn is_about_a_lease(&self) -> bool {
        self.is_about(&Resource::LEASES)
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

    /// What its path names, if that is a resource.
    #[must_use]
    pub fn target(&self) -> Option<RequestPath<'_>> {
        RequestPath::parse(&self.path)
    }

    /// Whether it is about this resource, or an object of it.
    #[must_use]
    pub fn is_about(&self, resource: &Resource) -> bool {
        self.target().is_some_and(|path| path.is_of(resource))
    }

    /// Whether it is about one object of this resource, or a part of one.
    #[must_use]
    pub fn is_about_one(&self, resource: &Resource) -> bool {
        self.target().is_some_and(|path| path.name.is_some() && path.is_of(resource))
    }

    /// Whether it lists or watches this resource everywhere.
    #[must_use]
    pub fn reads_all(&self, resource: &Resource) -> bool {
        let is_of_all = |path: RequestPath<'_>| path.namespace.is_none() && path.name.is_none() && path.is_of(resource);
        self.method == Method::GET && self.target().is_some_and(is_of_all)
    }

    /// Whether it lists all objects of a kind, from the first page on: that is how a watch begins.
    #[must_use]
    pub fn begins_a_list(&self) -> bool {
        let is_a_page = !self.is_watch() && !self.is_a_glance() && !self.query.contains("continue=");
        let is_of_all = |path: RequestPath<'_>| path.namespace.is_none() && path.name.is_none();
        self.method == Method::GET && is_a_page && self.target().is_some_and(is_of_all)
    }

    /// The list of all objects of a kind.
    #[must_use]
    pub fn list(resource: &Resource) -> Self {
        let query = "limit=2000".to_owned();
        Self { method: Method::GET, path: resource.path(), query, content: None, body: Value::Null }
    }

    /// A replacement becomes a merge patch with the same body.
    pub fn becomes_a_patch(&mut self) {
        self.method = Method::PATCH;
        self.content = Some(header::HeaderValue::from_static("application/merge-patch+json"));
    }

    pub(crate) async fn read(request: Request<Body>) -> kube::Result<Self> {
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

    pub(crate) fn request(&self) -> kube::Result<Request<Body>> {
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

/// Whether the path is that of a Job's status.
pub(crate) fn is_status_of_a_job(path: &str) -> bool {
    let is_status =
        |path: RequestPath<'_>| path.is_of(&Resource::JOBS) && path.subresource.as_deref() == Some("status");
    RequestPath::parse(path).is_some_and(is_status)
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

    pub(crate) fn response(self) -> kube::Result<Response<Payload>> {
        let mut builder = Response::builder().status(self.code).header(header::CONTENT_TYPE, "application/json");
        if let Some(seconds) = self.retry_after {
            builder = builder.header(header::RETRY_AFTER, seconds);
        }
        let body = Full::new(self.body).map_err(|never| match never {}).boxed_unsync();
        builder.body(body).map_err(kube::Error::HttpError)
    }
}
