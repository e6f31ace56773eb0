//! A proxy: an address that looks like the API server's. What becomes of requests is its [`RequestHandler`]'s to say.
//!
//! HTTP/1.1 on both sides, one connection to the API server for each that comes, so a cut or a lost answer hits one request
//! and no other. A visitor is known by its client certificate and comes to the API server as itself; one that has none is passed
//! on without one, with the token that it shows in each request.

mod road;
mod subject_tap;
mod tap;

use crate::cluster::contract::ClusterError;
use crate::cluster::contract::layout::Layout;
use crate::wire::Refusal;
use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::{ServerConfig, server::WebPkiClientVerifier};
use std::{
    error::Error,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};
use tokio_rustls::TlsAcceptor;

use road::{Road, Upstream, authority, certificate, key, unreadable};
pub(crate) use subject_tap::SubjectTap;
pub(crate) use tap::Tap;

/// How long to wait at most for a file descriptor when there is none.
const SHORTAGE: Duration = Duration::from_millis(100);

/// Who may come with a certificate: kube-controller-manager with only the Job controller, and the identities of a controller that
/// stands in for the built-in ones.
pub const CLIENTS: [&str; 3] = ["subject", "job-controller", "ttl-controller"];
/// The proxy's own identity.
const SELF: &str = "proxy-server";

/// An answer on its way back.
pub(crate) type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// What becomes of the requests that come to a proxy.
#[async_trait]
pub(crate) trait RequestHandler: Send + Sync + 'static {
    /// Answers a request. An error closes the connection without an answer.
    async fn serve(&self, visit: Arc<Visit>, request: Request<Incoming>) -> io::Result<Answer>;

    /// Returns when this connection is to be closed, in the middle of whatever passes.
    async fn cuts(&self, _visit: &Visit) {
        std::future::pending().await
    }
}

/// One connection.
pub(crate) struct Visit {
    /// The visitor's name in the cluster's folder; empty where it showed no certificate.
    pub identity: &'static str,
    upstream: Upstream,
    /// Whether a watch passes at the moment.
    watches: AtomicBool,
}

impl Visit {
    /// Notes whether what passes now is a watch.
    pub fn note_watch(&self, is_watch: bool) {
        self.watches.store(is_watch, Ordering::Release);
    }

    /// Whether what passes now is a watch.
    pub fn is_watching(&self) -> bool {
        self.watches.load(Ordering::Acquire)
    }

    /// Sends a request on, and gives the answer back as it comes.
    pub async fn pass(&self, mut request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>> {
        request.headers_mut().remove(header::CONNECTION);
        let mut answer = self.upstream.send(request).await?;
        // How an answer is framed is each connection's own business.
        answer.headers_mut().remove(header::CONNECTION);
        answer.headers_mut().remove(header::TRANSFER_ENCODING);
        Ok(answer)
    }
}

/// An answer that is passed on as it comes.
pub(crate) fn streamed(answer: Response<Incoming>) -> Answer {
    answer.map(|body| body.map_err(io::Error::other).boxed_unsync())
}

/// An answer that is there whole.
pub(crate) fn whole(answer: Response<Bytes>) -> Answer {
    answer.map(|body| Full::new(body).map_err(|never| match never {}).boxed_unsync())
}

/// A refusal of a request with this verb, as the API server would have given it.
pub(crate) fn refusal(refused: &Refusal, verb: &str) -> Answer {
    let mut answer = Response::new(Bytes::from(refused.status(verb).to_string()));
    *answer.status_mut() = StatusCode::from_u16(refused.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = refused.retry_after {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    whole(answer)
}

/// A proxy that is open until it is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Opens a proxy before the API server of the cluster at `site`.
    ///
    /// # Errors
    /// When there is no free port, or the cluster's certificates cannot be used.
    pub async fn open(site: &Layout, handler: Arc<dyn RequestHandler>) -> Result<Self, ClusterError> {
        // Two TLS providers in one build would make rustls refuse to choose; ours is named here.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let known = CLIENTS.iter().map(|identity| Road::of(site, identity));
        let roads = known.chain([Road::without_certificate(site)]).collect::<Result<Vec<_>, _>>()?;
        let acceptor = acceptor(site)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(ClusterError::Ports)?;
        let address = listener.local_addr().map_err(ClusterError::Ports)?;
        let accepting = tokio::spawn(accept(listener, acceptor, Arc::new(roads), handler));
        Ok(Self { address, accepting })
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn acceptor(site: &Layout) -> Result<TlsAcceptor, ClusterError> {
    let path = site.certificate(SELF);
    let failed = |error: &dyn Error| unreadable(&path, error);
    let verifier = WebPkiClientVerifier::builder(Arc::new(authority(site)?)).allow_unauthenticated().build();
    let config = ServerConfig::builder()
        .with_client_cert_verifier(verifier.map_err(|error| failed(&error))?)
        .with_single_cert(vec![certificate(&path)?], key(&site.key(SELF))?)
        .map_err(|error| failed(&error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Takes connections until it is aborted; they end with it.
async fn accept(listener: TcpListener, acceptor: TlsAcceptor, roads: Arc<Vec<Road>>, handler: Arc<dyn RequestHandler>) {
    let mut visits = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    visits.spawn(visit(stream, acceptor.clone(), Arc::clone(&roads), Arc::clone(&handler)));
                }
                // A connection that is gone before it is taken is the visitor's affair.
                Err(error) if is_the_visitors(&error) => {}
                // Without a file descriptor left it would fail again at once, until a connection ends.
                Err(_) => tokio::select! {
                    Some(_) = visits.join_next() => {}
                    () = tokio::time::sleep(SHORTAGE) => {}
                },
            },
            Some(_) = visits.join_next() => {}
        }
    }
}

fn is_the_visitors(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset)
}

async fn visit(stream: TcpStream, acceptor: TlsAcceptor, roads: Arc<Vec<Road>>, handler: Arc<dyn RequestHandler>) {
    let _ = stream.set_nodelay(true);
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
    let Some(road) = roads.iter().find(|road| road.certificate.as_ref() == shown).cloned() else { return };
    let (identity, watches) = (road.identity, AtomicBool::new(false));
    let visit = Arc::new(Visit { identity, upstream: Upstream::by(road), watches });
    let (served, kept) = (Arc::clone(&visit), Arc::clone(&handler));
    let service = service_fn(move |request| {
        let (visit, handler) = (Arc::clone(&served), Arc::clone(&kept));
        async move { handler.serve(visit, request).await }
    });
    tokio::select! {
        _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service) => {}
        () = handler.cuts(&visit) => {}
    }
}
