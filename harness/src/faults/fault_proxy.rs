//! The proxy: an address that looks like the API server's, and passes on what comes unless a fault is due.
//!
//! HTTP/1.1 on both sides, one connection to the API server for each that comes, so a cut or a lost answer hits one request
//! and no other. Answers are streamed; a watch is never held back. A visitor is known by its client certificate and comes to
//! the API server as itself.

use super::{
    instance::Instance,
    request_log::{Fault, RequestLog},
    request_target::{Kind, RequestTarget, narrowed},
    upstream::{Road, Upstream, authority, certificate, key, unreadable},
};
use crate::cluster::{ClusterError, layout::Layout};
use bytes::Bytes;
use http::{Request, Response, Uri, header};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::{ServerConfig, server::WebPkiClientVerifier};
use serde_json::json;
use std::{
    error::Error,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};
use tokio_rustls::TlsAcceptor;

/// Who may come: the identities of a controller that stands in for the built-in ones.
const CLIENTS: [&str; 2] = ["job-controller", "ttl-controller"];
/// The proxy's own identity.
const SELF: &str = "proxy-server";

type Answer = Response<BoxBody<Bytes, hyper::Error>>;
/// Why a connection ends without an answer.
type Broken = io::Error;

/// A proxy that is open until it is dropped.
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    requests: Arc<RequestLog>,
    guarded: Arc<OnceLock<Arc<Instance>>>,
    accepting: JoinHandle<()>,
}

/// What all connections of a proxy share.
struct Post {
    roads: Vec<Road>,
    namespace: String,
    requests: Arc<RequestLog>,
    guarded: Arc<OnceLock<Arc<Instance>>>,
}

/// One connection.
struct Visit {
    post: Arc<Post>,
    upstream: Upstream,
    watches: AtomicBool,
}

impl FaultProxy {
    /// Opens a proxy before the API server of the cluster at `site`; behind it there is one namespace.
    ///
    /// # Errors
    /// When there is no free port, or the cluster's certificates cannot be used.
    pub async fn open(site: &Layout, namespace: &str) -> Result<Self, ClusterError> {
        // Two TLS providers in one build would make rustls refuse to choose; ours is named here.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let roads = CLIENTS.iter().map(|identity| Road::of(site, identity)).collect::<Result<Vec<_>, _>>()?;
        let acceptor = acceptor(site)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(ClusterError::Ports)?;
        let address = listener.local_addr().map_err(ClusterError::Ports)?;
        let (requests, guarded) = (Arc::new(RequestLog::default()), Arc::new(OnceLock::new()));
        let namespace = namespace.to_owned();
        let post = Post { roads, namespace, requests: Arc::clone(&requests), guarded: Arc::clone(&guarded) };
        let accepting = tokio::spawn(accept(listener, acceptor, Arc::new(post)));
        Ok(Self { address, requests, guarded, accepting })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// What passed, and what is to be done.
    #[must_use]
    pub fn requests(&self) -> &Arc<RequestLog> {
        &self.requests
    }

    /// Names the process that faults kill and pause.
    pub(super) fn guard(&self, instance: Arc<Instance>) {
        // There is one controller per proxy, and it says so once.
        let _ = self.guarded.set(instance);
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn acceptor(site: &Layout) -> Result<TlsAcceptor, ClusterError> {
    let path = site.certificate(SELF);
    let failed = |error: &dyn Error| unreadable(&path, error);
    let verifier = WebPkiClientVerifier::builder(Arc::new(authority(site)?)).build().map_err(|error| failed(&error))?;
    let config = ServerConfig::builder()
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate(&path)?], key(&site.key(SELF))?)
        .map_err(|error| failed(&error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Takes connections until it is aborted; they end with it.
async fn accept(listener: TcpListener, acceptor: TlsAcceptor, post: Arc<Post>) {
    let mut visits = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A connection that is gone before it is taken is the visitor's affair.
                let Ok((stream, _)) = accepted else { continue };
                visits.spawn(visit(stream, acceptor.clone(), Arc::clone(&post)));
            }
            Some(_) = visits.join_next() => {}
        }
    }
}

async fn visit(stream: TcpStream, acceptor: TlsAcceptor, post: Arc<Post>) {
    let _ = stream.set_nodelay(true);
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
    let Some(road) = shown.and_then(|shown| post.roads.iter().find(|road| road.certificate == *shown)).cloned() else {
        return;
    };
    let mut cuts = post.requests.cuts();
    let visit = Arc::new(Visit { post, upstream: Upstream::by(road), watches: AtomicBool::new(false) });
    let served = Arc::clone(&visit);
    let service = service_fn(move |request| {
        let visit = Arc::clone(&served);
        async move { visit.serve(request).await }
    });
    let mut connection = std::pin::pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = &mut connection => return,
            cut = cuts.changed() => if cut.is_err() || visit.watches.load(Ordering::Acquire) {
                return;
            },
        }
    }
}

impl Visit {
    /// Passes a request on, or does what is due. An error closes the connection without an answer.
    async fn serve(self: Arc<Self>, request: Request<Incoming>) -> Result<Answer, Broken> {
        let target = RequestTarget::of(request.method(), request.uri());
        self.watches.store(target.kind == Kind::Watch, Ordering::Release);
        let order = self.post.requests.arrives(&target);
        let Some(fault) = order.fault else { return self.pass(request, order.place).await };
        // A visitor that is killed, or gives up, ends its connection and with it this future: the fault is done all the same.
        tokio::spawn(self.do_to(request, order.place, fault, target)).await.map_err(io::Error::other)?
    }

    async fn do_to(
        self: Arc<Self>,
        request: Request<Incoming>,
        place: Option<usize>,
        fault: Fault,
        target: RequestTarget,
    ) -> Result<Answer, Broken> {
        let guarded = self.post.guarded.get();
        let answer = match fault {
            Fault::Answer(code) => Ok(refusal(code, &target)),
            Fault::CrashBefore => Err(io::Error::other("the visitor was killed before its request was passed on")),
            Fault::CrashAfter | Fault::AnswerLost => {
                self.pass(request, place).await?;
                Err(io::Error::other("the answer is lost"))
            }
            Fault::AppliedThen504 => self.pass(request, place).await.map(|_| refusal(504, &target)),
            Fault::Pause => {
                // First of all, or it might give up in the meantime.
                if let Some(instance) = guarded {
                    instance.pause_now();
                }
                self.pass(request, place).await
            }
        };
        if let (Fault::CrashBefore | Fault::CrashAfter, Some(instance)) = (fault, guarded) {
            instance.strike().await;
        }
        self.post.requests.done(fault);
        answer
    }

    async fn pass(&self, request: Request<Incoming>, place: Option<usize>) -> Result<Answer, Broken> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let path: Uri = head.uri.path_and_query().cloned().map(Uri::from).unwrap_or_default();
        head.uri = narrowed(&path, &self.post.namespace).unwrap_or(path);
        head.headers.remove(header::CONNECTION);
        let answer = self.upstream.send(Request::from_parts(head, Full::new(body))).await?;
        self.post.requests.answered(place, answer.status().as_u16());
        let (mut head, body) = answer.into_parts();
        // How an answer is framed is each connection's own business.
        head.headers.remove(header::CONNECTION);
        head.headers.remove(header::TRANSFER_ENCODING);
        Ok(Response::from_parts(head, body.boxed()))
    }
}

/// An answer as the API server would have given it.
fn refusal(code: u16, target: &RequestTarget) -> Answer {
    let reason = match code {
        409 if target.what.starts_with("POST") => "AlreadyExists",
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "InternalError",
    };
    let message = format!("answered by the proxy: {reason}");
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                        "code": code, "reason": reason, "message": message});
    let body = Full::new(Bytes::from(status.to_string())).map_err(|never| match never {}).boxed();
    let mut answer = Response::new(body);
    *answer.status_mut() = http::StatusCode::from_u16(code).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    let json = header::HeaderValue::from_static("application/json");
    answer.headers_mut().insert(header::CONTENT_TYPE, json);
    if code == 429 {
        answer.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    }
    answer
}
