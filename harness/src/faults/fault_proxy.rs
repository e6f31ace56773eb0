//! The proxy before one controller of the bench: it shows it one namespace, numbers its writes, and does at one of them what is due.

use super::{
    instance::Instance,
    request_log::{Fault, RequestLog},
    request_target::{Kind, RequestTarget, narrowed},
};
use crate::cluster::{
    ClusterError,
    layout::Layout,
    proxy::{self, Answer, Proxy, RequestHandler, Visit, streamed},
};
use crate::wire::Refusal;
use async_trait::async_trait;
use http::{Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use std::{
    io,
    sync::{Arc, OnceLock},
};

/// A proxy that is open until it is dropped.
#[derive(Debug)]
pub struct FaultProxy {
    proxy: Proxy,
    requests: Arc<RequestLog>,
    guarded: Arc<OnceLock<Arc<Instance>>>,
}

/// What all connections of a proxy share.
#[derive(Clone)]
struct Post {
    namespace: String,
    requests: Arc<RequestLog>,
    guarded: Arc<OnceLock<Arc<Instance>>>,
}

impl FaultProxy {
    /// Opens a proxy before the API server of the cluster at `site`; behind it there is one namespace.
    ///
    /// # Errors
    /// When there is no free port, or the cluster's certificates cannot be used.
    pub async fn open(site: &Layout, namespace: &str) -> Result<Self, ClusterError> {
        let (requests, guarded) = (Arc::new(RequestLog::default()), Arc::new(OnceLock::new()));
        let namespace = namespace.to_owned();
        let post = Post { namespace, requests: Arc::clone(&requests), guarded: Arc::clone(&guarded) };
        Ok(Self { proxy: Proxy::open(site, Arc::new(post)).await?, requests, guarded })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        self.proxy.url()
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

#[async_trait]
impl RequestHandler for Post {
    async fn serve(&self, visit: Arc<Visit>, request: Request<Incoming>) -> io::Result<Answer> {
        let target = RequestTarget::of(request.method(), request.uri());
        visit.note_watch(target.kind == Kind::Watch);
        let order = self.requests.arrives(&target);
        let Some(fault) = order.fault else { return self.pass(&visit, request, order.place).await };
        // A visitor that is killed, or gives up, ends its connection and with it this future: the fault is done all the same.
        let post = self.clone();
        let done = async move { post.do_to(&visit, request, order.place, fault, target).await };
        tokio::spawn(done).await.map_err(io::Error::other)?
    }

    async fn cuts(&self, visit: &Visit) {
        let mut cuts = self.requests.cuts();
        while cuts.changed().await.is_ok() {
            if visit.is_watching() {
                return;
            }
        }
    }
}

impl Post {
    async fn do_to(
        &self,
        visit: &Visit,
        request: Request<Incoming>,
        place: Option<usize>,
        fault: Fault,
        target: RequestTarget,
    ) -> io::Result<Answer> {
        let guarded = self.guarded.get();
        let answer = match fault {
            Fault::Answer(code) => Ok(refusal(code, &target)),
            Fault::CrashBefore => Err(io::Error::other("the visitor was killed before its request was passed on")),
            Fault::CrashAfter | Fault::AnswerLost => {
                self.pass(visit, request, place).await?;
                Err(io::Error::other("the answer is lost"))
            }
            Fault::AppliedThen504 => self.pass(visit, request, place).await.map(|_| refusal(504, &target)),
            Fault::Pause => {
                // First of all, or it might give up in the meantime.
                if let Some(instance) = guarded {
                    instance.pause_now();
                }
                self.pass(visit, request, place).await
            }
        };
        if let (Fault::CrashBefore | Fault::CrashAfter, Some(instance)) = (fault, guarded) {
            instance.strike().await;
        }
        self.requests.done(fault);
        answer
    }

    async fn pass(&self, visit: &Visit, request: Request<Incoming>, place: Option<usize>) -> io::Result<Answer> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let path: Uri = head.uri.path_and_query().cloned().map(Uri::from).unwrap_or_default();
        head.uri = narrowed(&path, &self.namespace).unwrap_or(path);
        let answer = visit.pass(Request::from_parts(head, Full::new(body))).await?;
        self.requests.answered(place, answer.status().as_u16());
        Ok(streamed(answer))
    }
}

/// An answer as the API server would have given it.
fn refusal(code: u16, target: &RequestTarget) -> Answer {
    let verb = if target.what.starts_with("POST") { "create" } else { "update" };
    let retry_after = (code == 429).then_some(1);
    proxy::refusal(&Refusal { code, reason: None, retry_after }, verb)
}
