//! `/metrics` and the health of the process, over HTTPS for those whom the API server allows, or over HTTP on this machine only.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use k8s_openapi::api::authentication::v1::UserInfo;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::liveness::Liveness;
use crate::metrics::{CONTENT_TYPE, Exposition};

pub mod access;
pub mod connections;
mod tls;

use access::{Asked, Delegated};
use connections::{Host, Pace, accept};
pub use tls::{Pair, Tls, TlsError};

/// As much of a request as is read, tokens included.
const LARGEST_REQUEST: usize = 32 * 1024;
const MOST_HEADERS: usize = 64;
/// Of everything that is neither metrics nor an object.
const PLAIN: &str = "text/plain; charset=utf-8";

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken or not ours.
    #[error("listen on {address}")]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// There is no certificate to serve with.
    #[error("serve HTTPS")]
    Tls(#[from] TlsError),
}

/// Who may read more than the health, and how they come.
#[derive(Debug)]
pub enum Security {
    /// Everybody, over HTTP. For loopback addresses.
    Plain,
    /// Over HTTPS, whom the API server knows and allows.
    Delegated {
        /// What to serve with.
        pair: Pair,
        /// Who vouches for clients that show a certificate.
        client_authority: Option<PathBuf>,
        /// Who decides.
        access: Box<Delegated>,
    },
}

/// How much of a client is borne.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many connections may be open. For one more the oldest is closed, so that probes always get in.
    pub connections: usize,
    /// How long a TLS handshake may take.
    pub handshake: Duration,
    /// How long a client may take for its next request line and headers; a little more than most scrapers pause.
    pub request: Duration,
    /// How long a connection may be used.
    pub age: Duration,
    /// How long its last answer may take after that.
    pub last_answer: Duration,
    /// How often files of certificates are looked at.
    pub look_again: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        let [handshake, request, age, last_answer, look_again] = [10, 32, 600, 30, 10].map(Duration::from_secs);
        Self { connections: 64, handshake, request, age, last_answer, look_again }
    }
}

/// What the program says about itself.
#[derive(Debug)]
pub struct State {
    exposition: Arc<Exposition>,
    liveness: Arc<Liveness>,
    ready: AtomicBool,
}

impl State {
    /// Not ready yet.
    #[must_use]
    pub fn new(exposition: Arc<Exposition>, liveness: Arc<Liveness>) -> Self {
        Self { exposition, liveness, ready: AtomicBool::new(false) }
    }

    /// From now on `/readyz` says whether the caches are filled.
    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    fn answer(&self, uri: &Uri) -> (StatusCode, String) {
        let path = uri.path();
        match path {
            "/metrics" => (StatusCode::OK, self.exposition.text()),
            "/healthz" | "/livez" => {
                let verbose = uri.query().is_some_and(|query| query.split('&').any(|one| one.starts_with("verbose")));
                let (well, text) = self.liveness.answer(path.trim_start_matches('/'), verbose, Instant::now());
                (if well { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }, text)
            }
            "/readyz" if self.ready.load(Ordering::Acquire) => (StatusCode::OK, "ok".to_owned()),
            "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "the caches are not filled yet".to_owned()),
            _ => (StatusCode::NOT_FOUND, "not found".to_owned()),
        }
    }
}

/// Where the server listens.
pub struct Server {
    listener: TcpListener,
    front: Front,
}

/// Where connections come in.
struct Front {
    tls: Option<Tls>,
    site: Arc<Site>,
}

/// What every connection needs.
struct Site {
    state: Arc<State>,
    access: Option<Box<Delegated>>,
    bounds: Bounds,
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// When the address cannot be had or the certificate cannot be used.
    pub async fn bind(
        address: SocketAddr,
        security: Security,
        bounds: Bounds,
        state: Arc<State>,
    ) -> Result<Self, ServeError> {
        let (tls, access) = match security {
            Security::Plain => (None, None),
            Security::Delegated { pair, client_authority, access } => {
                (Some(Tls::open(pair, client_authority)?), Some(access))
            }
        };
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        Ok(Self { listener, front: Front { tls, site: Arc::new(Site { state, access, bounds }) } })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the operating system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop`.
    pub async fn serve(mut self, stop: CancellationToken) {
        let Bounds { connections, look_again, .. } = self.front.site.bounds;
        // What is open then is cut off: nothing that is told here is worth waiting for.
        drop(accept(&self.listener, Pace { connections, look_again }, &mut self.front, &stop).await);
    }
}

impl Host for Front {
    fn look_again(&mut self) {
        self.tls.iter_mut().for_each(Tls::look_again);
    }

    fn connection(&self, stream: TcpStream) -> Option<impl Future<Output = ()> + Send + 'static> {
        let (site, acceptor) = (Arc::clone(&self.site), self.tls.as_ref().map(Tls::acceptor));
        Some(async move {
            match acceptor {
                None => site.connection(stream, None).await,
                Some(acceptor) => site.secured(stream, acceptor).await,
            }
        })
    }
}

impl Site {
    async fn secured(self: Arc<Self>, stream: TcpStream, acceptor: TlsAcceptor) {
        match timeout(self.bounds.handshake, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => {
                let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
                let certified = shown.and_then(tls::certified);
                self.connection(stream, certified).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake at the metrics address failed"),
            Err(_) => tracing::debug!("a TLS handshake at the metrics address took too long"),
        }
    }

    async fn connection(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        certified: Option<UserInfo>,
    ) {
        let Bounds { request, age, last_answer, .. } = self.bounds;
        let (site, certified) = (&self, certified.as_ref());
        let service = service_fn(|request: Request<Incoming>| async move {
            let answer = site.answer(&request, certified).await;
            Ok::<_, Infallible>(answer)
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(request)
            .max_buf_size(LARGEST_REQUEST)
            .max_headers(MOST_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        let mut served = pin!(served);
        let ended = match timeout(age, served.as_mut()).await {
            Ok(ended) => Ok(ended),
            Err(_) => {
                served.as_mut().graceful_shutdown();
                timeout(last_answer, served).await
            }
        };
        if let Ok(Err(error)) = ended {
            tracing::debug!(%error, "a connection to the metrics address broke");
        }
    }

    async fn answer(&self, request: &Request<Incoming>, certified: Option<&UserInfo>) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        let verb = match *request.method() {
            Method::GET => "get",
            Method::HEAD => "head",
            _ => return response(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD are answered".to_owned()),
        };
        if let Some(access) = &self.access {
            let token = access::token(request.headers());
            let verdict = access.decide(Asked { verb, path, certified, token }).await;
            if let Some((code, reason, words)) = verdict.refusal() {
                return refusal(code, reason, words);
            }
        }
        let (code, said) = self.state.answer(request.uri());
        let content = if path == "/metrics" { CONTENT_TYPE } else { PLAIN };
        response(code, content, said)
    }
}

/// In the form of every server of Kubernetes.
fn refusal(code: StatusCode, reason: &str, message: String) -> Response<Full<Bytes>> {
    let status = Status {
        status: Some("Failure".to_owned()),
        code: Some(i32::from(code.as_u16())),
        reason: Some(reason.to_owned()),
        message: Some(message),
        ..Status::default()
    };
    response(code, "application/json", serde_json::to_string(&status).expect("a Status is JSON"))
}

fn response(code: StatusCode, content: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    *answer.status_mut() = code;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

/// Whether only this machine can reach it.
#[must_use]
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fence::Fence;

    #[test]
    fn readiness_follows_the_caches_and_health_does_not() {
        let state = State::new(Arc::default(), Arc::new(Liveness::new(Fence::open())));
        let ask = |uri| state.answer(&Uri::from_static(uri));
        assert_eq!(ask("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(ask("/healthz").0, StatusCode::OK);
        state.set_ready(true);
        assert_eq!(ask("/readyz"), (StatusCode::OK, "ok".to_owned()));
        assert_eq!(ask("/debug").0, StatusCode::NOT_FOUND);
        assert!(ask("/metrics").1.contains("# TYPE process_start_time_seconds gauge"));
    }

    #[test]
    fn a_missing_part_is_told_with_500_at_both_addresses() {
        let liveness = Arc::new(Liveness::new(Fence::open()));
        let state = State::new(Arc::default(), Arc::clone(&liveness));
        let ask = |uri| state.answer(&Uri::from_static(uri));
        let part = liveness.register("workers");
        assert_eq!(
            ask("/livez?verbose"),
            (StatusCode::OK, "[+]ping ok\n[+]workers ok\nlivez check passed\n".to_owned())
        );
        drop(part);
        let text = |name| format!("[+]ping ok\n[-]workers failed: 0 of 1 are there\n{name} check failed\n");
        assert_eq!(ask("/livez"), (StatusCode::INTERNAL_SERVER_ERROR, text("livez")));
        assert_eq!(ask("/healthz"), (StatusCode::INTERNAL_SERVER_ERROR, text("healthz")));
    }
}
