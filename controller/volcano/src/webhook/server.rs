//! HTTPS for the API server: who connects, how much is read, and that every question gets an answer.
//!
//! Without a certificate every connection is closed, so `/readyz`, which is served over the same port, answers only when there is one.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::server::connections::{Host, Pace, accept};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::admit::{Admission, Question};
use super::certificate::Certificate;
use super::cluster::Cluster;
use super::review;

/// As much of a body as is read: what the API server itself takes.
pub const LARGEST_BODY: usize = 3 * 1024 * 1024;

/// How much of a client is borne.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many connections may be open. For one more the oldest is closed.
    pub connections: usize,
    /// How many bodies may be in memory at the same time; others wait.
    pub bodies: usize,
    /// How long a TLS handshake may take.
    pub handshake: Duration,
    /// How long a connection may wait for its next request. Longer than the API server keeps one that it does not use (90 s): of the
    /// two ends it has to be the one that closes, or a question could meet a connection that is just going.
    pub idle: Duration,
    /// How long a body may take to come in.
    pub body: Duration,
    /// How long questions that are being answered may take after the program was told to stop.
    pub last_answer: Duration,
    /// How often the files of the certificate are looked at.
    pub look_again: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        let [handshake, idle, body, last_answer, look_again] = [10, 120, 10, 10, 1].map(Duration::from_secs);
        Self { connections: 1024, bodies: 64, handshake, idle, body, last_answer, look_again }
    }
}

/// Where the webhook listens.
pub struct Server<C> {
    listener: TcpListener,
    front: Front<C>,
}

/// Where connections come in.
struct Front<C> {
    certificate: Certificate,
    site: Arc<Site<C>>,
    stop: CancellationToken,
}

/// What answers requests, whatever they came in on.
pub struct Site<C> {
    admission: Arc<Admission<C>>,
    bodies: Semaphore,
    bounds: Bounds,
}

impl<C: Cluster> Server<C> {
    /// Serves what comes in at `listener`.
    #[must_use]
    pub fn new(listener: TcpListener, certificate: Certificate, admission: Arc<Admission<C>>) -> Self {
        Self::within(Bounds::default(), listener, certificate, admission)
    }

    /// With other bounds.
    #[must_use]
    pub fn within(
        bounds: Bounds,
        listener: TcpListener,
        certificate: Certificate,
        admission: Arc<Admission<C>>,
    ) -> Self {
        let site = Arc::new(Site::new(bounds, admission));
        Self { listener, front: Front { certificate, site, stop: CancellationToken::new() } }
    }

    /// Answers until `stop`, and then what is being answered.
    pub async fn serve(mut self, stop: CancellationToken) {
        let Bounds { connections, look_again, last_answer, .. } = self.front.site.bounds;
        self.front.stop = stop.clone();
        let mut open = accept(&self.listener, Pace { connections, look_again }, &mut self.front, &stop).await;
        let ended = async { while open.join_next().await.is_some() {} };
        if timeout(last_answer, ended).await.is_err() {
            tracing::warn!("stopped while questions were still being answered");
        }
    }
}

impl<C: Cluster> Host for Front<C> {
    fn look_again(&mut self) {
        self.certificate.look_again();
    }

    fn connection(&self, stream: TcpStream) -> Option<impl Future<Output = ()> + Send + 'static> {
        // Without a certificate there is nothing to say.
        let acceptor = self.certificate.acceptor()?;
        Some(Arc::clone(&self.site).connection(stream, acceptor, self.stop.clone()))
    }
}

/// Why a body did not come in.
type BodyError = Box<dyn std::error::Error + Send + Sync>;

impl<C: Cluster> Site<C> {
    /// Of `bounds` those of bodies count, which is all there is without a connection.
    #[must_use]
    pub fn new(bounds: Bounds, admission: Arc<Admission<C>>) -> Self {
        Self { admission, bodies: Semaphore::new(bounds.bodies), bounds }
    }

    /// Answers a request. One that is panicked over is answered with 500, and told.
    pub async fn respond<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body,
        B::Error: Into<BodyError>,
    {
        panics::caught(self.answer(request)).await.unwrap_or_else(|panic| {
            tracing::error!(panic, "panicked over a question; the others are answered");
            plain(StatusCode::INTERNAL_SERVER_ERROR, "panicked over this question")
        })
    }

    async fn connection(self: Arc<Self>, stream: TcpStream, acceptor: TlsAcceptor, stop: CancellationToken) {
        // Answers are small and wait for nothing that could be sent with them.
        let _ = stream.set_nodelay(true);
        let stream = match timeout(self.bounds.handshake, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => return tracing::debug!("a TLS handshake took too long"),
        };
        let site = Arc::clone(&self);
        let service = service_fn(move |request: Request<Incoming>| Arc::clone(&site).survive(request));
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.bounds.idle)
            .serve_connection(TokioIo::new(stream), service);
        let mut served = pin!(served);
        let ended = tokio::select! {
            ended = served.as_mut() => ended,
            () = stop.cancelled() => {
                served.as_mut().graceful_shutdown();
                served.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke");
        }
    }

    async fn survive(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        Ok(self.respond(request).await)
    }

    async fn answer<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body,
        B::Error: Into<BodyError>,
    {
        let path = request.uri().path();
        let Some(question) = Question::at(path) else {
            let is_health = ["/healthz", "/livez", "/readyz"].contains(&path);
            return if is_health { plain(StatusCode::OK, "ok") } else { plain(StatusCode::NOT_FOUND, "not found") };
        };
        if request.method() != Method::POST {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "only POST is answered");
        }
        let content =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media = content.split(';').next().unwrap_or_default().trim();
        if !media.eq_ignore_ascii_case("application/json") {
            return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only application/json is read");
        }
        let Ok(_turn) = self.bodies.acquire().await else {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "stopping");
        };
        let collected = timeout(self.bounds.body, Limited::new(request.into_body(), LARGEST_BODY).collect()).await;
        let body = match collected {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 3 MiB");
            }
            Ok(Err(error)) => return plain(StatusCode::BAD_REQUEST, &format!("the body did not come in: {error}")),
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the body did not come in in time"),
        };
        match review::Request::read(&body) {
            Ok(request) => self.review(question, &request).await,
            Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }

    async fn review(&self, question: Question, request: &review::Request) -> Response<Full<Bytes>> {
        let answer = self.admission.answer(question, request).await;
        if let review::Answer::Refused { code, message: why } = &answer {
            let (namespace, name) = (&request.namespace, &request.name);
            tracing::info!(?question, operation = ?request.operation, namespace, name, code, why, "refused");
        }
        response(StatusCode::OK, "application/json", answer.body(&request.uid))
    }
}

fn plain(code: StatusCode, text: &str) -> Response<Full<Bytes>> {
    response(code, "text/plain; charset=utf-8", text.as_bytes().to_vec())
}

fn response(code: StatusCode, content: &'static str, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = code;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}
