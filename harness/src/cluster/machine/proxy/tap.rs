//! Stands before every subject of a run: requests pass as they are, are written down, and meet what the case has in mind for them.

use super::{Answer, CLIENTS, Proxy, RequestHandler, Visit, refusal, streamed, whole};
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Route};
use crate::cluster::machine::kubeconfig;
use crate::wire::{Content, Mishap, Passed, Refusal, Target, WatchEvents, Wire};
use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, Request, Response, StatusCode, Uri, header, request::Parts};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use serde::Deserialize;
use std::{io, sync::Arc, time::Instant};

/// The users that certificates of the cluster's folder are for.
const USERS: [(&str, &str); 3] = [
    ("subject", "system:kube-controller-manager"),
    ("job-controller", "system:serviceaccount:kube-system:job-controller"),
    ("ttl-controller", "system:serviceaccount:kube-system:ttl-after-finished-controller"),
];

/// A proxy before the controller under test, and what happens on it.
#[derive(Debug)]
pub(crate) struct Tap {
    proxy: Proxy,
    wire: Arc<Wire>,
}

impl Tap {
    /// Opens it before the API server of the cluster at `site`.
    ///
    /// # Errors
    /// As [`Proxy::open`].
    pub async fn open(site: &Layout) -> Result<Self, ClusterError> {
        Self::before(site, Arc::default(), None).await
    }

    /// Opens it for one of several instances, which share `wire`.
    ///
    /// # Errors
    /// As [`Proxy::open`].
    pub async fn before(site: &Layout, wire: Arc<Wire>, instance: Option<&'static str>) -> Result<Self, ClusterError> {
        let proxy = Proxy::open(site, Arc::new(Tapped { wire: Arc::clone(&wire), instance })).await?;
        Ok(Self { proxy, wire })
    }

    /// Opens it, and writes the settings that lead a subject there, by whatever identity it comes.
    ///
    /// # Errors
    /// As [`Proxy::open`], and when a file cannot be written.
    pub async fn before_subject(site: &Layout) -> Result<Self, ClusterError> {
        let tap = Self::open(site).await?;
        for identity in CLIENTS {
            kubeconfig::write_for(site, identity, &tap.url(), &site.subject_kubeconfig(identity, Route::Proxied))?;
        }
        Ok(tap)
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        self.proxy.url()
    }

    /// What passes.
    pub const fn wire(&self) -> &Arc<Wire> {
        &self.wire
    }
}

struct Tapped {
    wire: Arc<Wire>,
    /// Whose requests pass here, where there are several instances.
    instance: Option<&'static str>,
}

#[async_trait]
impl RequestHandler for Tapped {
    async fn serve(&self, visit: Arc<Visit>, request: Request<Incoming>) -> io::Result<Answer> {
        let target = Target::of(request.method(), request.uri());
        let (mut head, body) = request.into_parts();
        // The API server's address is not ours.
        head.uri = head.uri.path_and_query().cloned().map(Uri::from).unwrap_or_default();
        if target.verb == "watch" || target.writes() {
            // What is to be read on the way must not be packed: Kubernetes 1.37 packs watches, too, for clients that ask (those in Go do).
            head.headers.remove(header::ACCEPT_ENCODING);
        }
        if target.verb == "watch" {
            return self.watch(&visit, head, body, &target).await;
        }
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let passage = Passage::begins(self, &visit, &head, &target, &body);
        if target.writes() {
            return self.write(visit, Request::from_parts(head, Full::new(body.clone())), &target, body, passage).await;
        }
        let mut passage = passage;
        let answer = visit.pass(Request::from_parts(head, Full::new(body))).await?;
        passage.answered(answer.status());
        passage.got(answer.status(), answer.headers());
        Ok(streamed(answer))
    }
}

impl Tapped {
    async fn watch(&self, visit: &Visit, head: Parts, body: Incoming, target: &Target) -> io::Result<Answer> {
        let watches = self.wire.watches();
        if watches.refuses(&target.on) {
            return Ok(refusal(&Refusal { code: 410, reason: None, retry_after: None }, target.verb));
        }
        let mut follower = watches.follow(&target.on);
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        // A watch that is answered has said that it begins.
        follower.may_speak().await;
        let (head, body) = visit.pass(Request::from_parts(head, Full::new(body))).await?.into_parts();
        let events = WatchEvents::of(content_type(&head.headers));
        let frames = stream::unfold((body, events, follower), |(mut body, mut events, mut follower)| async move {
            let framing = events.framing;
            let next = next_event(&mut body, &mut events);
            let event = follower.unless_cut(next, |event: &Bytes| framing.about(event)).await;
            event.map(|event| (event.map(Frame::data), (body, events, follower)))
        });
        Ok(Response::from_parts(head, StreamBody::new(frames).boxed_unsync()))
    }

    async fn write(
        &self,
        visit: Arc<Visit>,
        request: Request<Full<Bytes>>,
        target: &Target,
        body: Bytes,
        mut passage: Passage,
    ) -> io::Result<Answer> {
        let Some(order) = self.wire.arrives(self.instance, target, &body) else {
            let answer = passed(&visit, request, &mut passage).await?;
            passage.got(answer.status(), answer.headers());
            return Ok(whole(answer));
        };
        passage.request.fault = Some(order.mishap.to_string());
        match order.mishap {
            Mishap::Refused(refused) => {
                order.struck();
                Ok(passage.refused(&refused, target))
            }
            Mishap::RequestLost => {
                order.struck();
                Err(io::Error::other("the request is lost"))
            }
            Mishap::AnswerLost | Mishap::AppliedThen(_) => {
                // A visitor that gives up ends its connection, and with it this future: it is applied all the same.
                let (answer, mut passage) = tokio::spawn(async move {
                    let answer = passed(&visit, request, &mut passage).await;
                    (answer, passage)
                })
                .await
                .map_err(io::Error::other)?;
                answer?;
                order.struck();
                match order.mishap {
                    Mishap::AppliedThen(refused) => Ok(passage.refused(&refused, target)),
                    _ => Err(io::Error::other("the answer is lost")),
                }
            }
            Mishap::HeldBefore => {
                order.struck();
                order.released().await;
                let answer = passed(&visit, request, &mut passage).await?;
                passage.got(answer.status(), answer.headers());
                Ok(whole(answer))
            }
            Mishap::HeldAfter => {
                let answer = passed(&visit, request, &mut passage).await?;
                order.struck();
                order.released().await;
                passage.got(answer.status(), answer.headers());
                Ok(whole(answer))
            }
        }
    }
}

/// The next event of a watch, or what is left of one where the watch ends.
async fn next_event(body: &mut Incoming, events: &mut WatchEvents) -> Option<io::Result<Bytes>> {
    loop {
        if let Some(event) = events.whole() {
            return Some(Ok(event));
        }
        match body.frame().await {
            // A watch has no trailers.
            Some(Ok(frame)) => frame.data_ref().into_iter().for_each(|arrived| events.arrived(arrived)),
            Some(Err(error)) => return Some(Err(io::Error::other(error))),
            None => return events.left().map(Ok),
        }
    }
}

/// Sends a write on; the whole answer.
async fn passed(visit: &Visit, request: Request<Full<Bytes>>, passage: &mut Passage) -> io::Result<Response<Bytes>> {
    let (head, body) = visit.pass(request).await?.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    passage.answered(head.status);
    passage.says(&head.headers, &body);
    Ok(Response::from_parts(head, body))
}

/// A request that passes; when it is over, however that is, it is written down.
struct Passage {
    wire: Arc<Wire>,
    namespace: Option<String>,
    came: Instant,
    request: jobsworth_oracle::Request,
    /// What the API server answered.
    applied: Option<u16>,
}

impl Passage {
    fn begins(tapped: &Tapped, visit: &Visit, head: &Parts, target: &Target, body: &[u8]) -> Self {
        let content =
            if target.writes() { Content::read(content_type(&head.headers), body) } else { Content::default() };
        let request = jobsworth_oracle::Request {
            by: user(visit.identity, &head.headers),
            verb: target.verb.to_owned(),
            on: target.on.clone(),
            name: target.name.clone(),
            from: content.revision,
            uid: content.uid,
            // Nor may what is secret in a Secret stand there.
            patch: content.patch.filter(|_| target.on != "secrets"),
            instance: tapped.instance.map(str::to_owned),
            ..jobsworth_oracle::Request::default()
        };
        let (wire, namespace) = (Arc::clone(&tapped.wire), target.namespace.clone());
        Self { wire, namespace, came: Instant::now(), request, applied: None }
    }

    /// The API server has answered.
    fn answered(&mut self, status: StatusCode) {
        self.applied = Some(status.as_u16());
    }

    /// What is in its answer.
    fn says(&mut self, headers: &HeaderMap, body: &[u8]) {
        let content = Content::read(content_type(headers), body);
        self.request.made = content.revision;
        self.request.says = content.message.unwrap_or_default();
        self.request.lease = content.lease.filter(|_| self.request.is_of_an_election());
    }

    /// The visitor gets this answer.
    fn got(&mut self, status: StatusCode, headers: &HeaderMap) {
        self.request.code = Some(status.as_u16());
        let after = headers.get(header::RETRY_AFTER).and_then(|after| after.to_str().ok());
        self.request.retry_after = after.and_then(|after| after.parse().ok());
    }

    fn refused(&mut self, refused: &Refusal, target: &Target) -> Answer {
        let answer = refusal(refused, target.verb);
        self.got(answer.status(), answer.headers());
        answer
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        let Some(namespace) = self.namespace.take() else { return };
        let mut request = std::mem::take(&mut self.request);
        request.took_us = u64::try_from(self.came.elapsed().as_micros()).unwrap_or(u64::MAX);
        request.stored = self.applied.filter(|_| request.fault.is_some() || request.code.is_none());
        let passed = Passed { request, came: self.came };
        match passed.request.is_of_an_election() {
            true => self.wire.settled(&namespace, &passed),
            false => self.wire.passed(&namespace, passed),
        }
    }
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The name of the user: of the certificate, or of the token.
fn user(identity: &str, headers: &HeaderMap) -> String {
    let known = USERS.iter().find(|(file, _)| *file == identity).map(|(_, user)| (*user).to_owned());
    let token = || headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ").and_then(subject);
    known.or_else(token).unwrap_or_else(|| "somebody".to_owned())
}

/// Whom a service account's token is for. Whether it is good is for the API server to say.
fn subject(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Claims {
        sub: String,
    }
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    Some(serde_json::from_slice::<Claims>(&claims).ok()?.sub)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(authorization: &str) -> HeaderMap {
        [(header::AUTHORIZATION, authorization.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn a_visitor_is_named_by_its_certificate_or_its_token() {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"sub": "system:serviceaccount:ns:it"}"#);
        let token = shown(&format!("Bearer head.{claims}.signature"));
        assert_eq!(user("", &token), "system:serviceaccount:ns:it");
        assert_eq!(user("subject", &HeaderMap::new()), "system:kube-controller-manager");
        assert_eq!(user("", &shown("Bearer opaque")), "somebody");
    }
}
