//! `/metrics`, `/livez`, `/healthz` and `/readyz` over HTTP, or HTTPS when a certificate is given.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::liveness::Liveness;
use crate::metrics::Metrics;

/// How long a client may take for its request line and headers, or for the TLS handshake.
const REQUEST_WITHIN: Duration = Duration::from_secs(10);

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
    /// A PEM file is unreadable.
    #[error("read {path}")]
    Pem {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: rustls::pki_types::pem::Error,
    },
    /// Certificate and key do not go together.
    #[error("use the certificate and its key")]
    Certificate(#[source] rustls::Error),
}

/// What the program says about itself.
#[derive(Debug)]
pub struct State {
    /// All series.
    pub metrics: Arc<Metrics>,
    liveness: Arc<Liveness>,
    ready: AtomicBool,
}

impl State {
    /// Not ready yet.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>, liveness: Arc<Liveness>) -> Self {
        Self { metrics, liveness, ready: AtomicBool::new(false) }
    }

    /// From now on `/readyz` says whether the caches are filled.
    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    fn answer(&self, uri: &Uri) -> (StatusCode, String) {
        let path = uri.path();
        match path {
            "/metrics" => (StatusCode::OK, self.metrics.text()),
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
    tls: Option<TlsAcceptor>,
    state: Arc<State>,
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// When the address cannot be had or the certificate cannot be used.
    pub async fn bind(
        address: SocketAddr,
        certificate: Option<(&Path, &Path)>,
        state: Arc<State>,
    ) -> Result<Self, ServeError> {
        let tls = certificate.map(|(certificate, key)| acceptor(certificate, key)).transpose()?;
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        Ok(Self { listener, tls, state })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the operating system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop`.
    pub async fn serve(self, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                accepted = self.listener.accept() => accepted,
            };
            let Ok((stream, _)) = accepted else { continue };
            let (tls, state, stop) = (self.tls.clone(), Arc::clone(&self.state), stop.clone());
            tokio::spawn(async move {
                let served = async {
                    match tls {
                        None => connection(stream, state).await,
                        Some(tls) => {
                            if let Ok(Ok(stream)) = timeout(REQUEST_WITHIN, tls.accept(stream)).await {
                                connection(stream, state).await;
                            }
                        }
                    }
                };
                tokio::select! {
                    biased;
                    () = stop.cancelled() => {}
                    () = served => {}
                }
            });
        }
    }
}

async fn connection(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, state: Arc<State>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (code, text) = state.answer(request.uri());
        let mut answer = Response::new(Full::new(Bytes::from(text)));
        *answer.status_mut() = code;
        let plain = header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        answer.headers_mut().insert(header::CONTENT_TYPE, plain);
        async move { Ok::<_, Infallible>(answer) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_WITHIN)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection to the metrics address broke");
    }
}

fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, ServeError> {
    let wrong = |path: &Path| {
        let path = path.to_owned();
        move |source| ServeError::Pem { path, source }
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(certificate).map_err(wrong(certificate))?.collect();
    let chain = chain.map_err(wrong(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(wrong(key))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(ServeError::Certificate)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Fence;

    #[test]
    fn readiness_follows_the_caches_and_health_does_not() {
        let state = State::new(Arc::default(), Arc::new(Liveness::new(Fence::open())));
        let ask = |uri| state.answer(&Uri::from_static(uri));
        assert_eq!(ask("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(ask("/healthz").0, StatusCode::OK);
        state.set_ready(true);
        assert_eq!(ask("/readyz"), (StatusCode::OK, "ok".to_owned()));
        assert_eq!(ask("/debug").0, StatusCode::NOT_FOUND);
        assert!(ask("/metrics").1.contains("# TYPE workqueue_depth gauge"));
    }

    #[test]
    fn a_missing_part_is_told_with_500_at_both_addresses() {
        let liveness = Arc::new(Liveness::new(Fence::open()));
        let state = State::new(Arc::default(), Arc::clone(&liveness));
        let ask = |uri| state.answer(&Uri::from_static(uri));
        let part = liveness.hired("job-workers");
        assert_eq!(
            ask("/livez?verbose"),
            (StatusCode::OK, "[+]ping ok\n[+]job-workers ok\nlivez check passed\n".to_owned())
        );
        drop(part);
        let text = |name| format!("[+]ping ok\n[-]job-workers failed: 0 of 1 are there\n{name} check failed\n");
        assert_eq!(ask("/livez"), (StatusCode::INTERNAL_SERVER_ERROR, text("livez")));
        assert_eq!(ask("/healthz"), (StatusCode::INTERNAL_SERVER_ERROR, text("healthz")));
    }
}
