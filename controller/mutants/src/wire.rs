//! The transport with decorators in it: what the controller asks passes the bug, the log and the outage, in this order, and
//! what it is told comes back the same way.

mod frames;
pub mod log;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response, header};
use http_body_util::BodyExt;
use jobsworth_controller::parts::Transport;
use kube::Client;
use kube::client::Body;

use crate::call::{Answer, Call, Payload};
use crate::decorator::{Decorator, Fate, Next};
use log::Log;

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
    outage: Arc<dyn Decorator>,
    log: Arc<Log>,
}

/// Puts bug, log and outage into a transport.
pub fn transport(bug: Arc<dyn Decorator>, outage: Arc<dyn Decorator>, log: Arc<Log>) -> Transport {
    Arc::new(move |inner| {
        let carrier = Carrier { inner, bug: Arc::clone(&bug), outage: Arc::clone(&outage), log: Arc::clone(&log) };
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
        for beside in self.bug.beside(&call) {
            // Who asks beside something else lives without an answer.
            if let Ok(Reply::Whole(answer)) = self.send(&beside).await {
                self.bug.overhear(&beside, &answer);
            }
        }
        match self.pass(&[&self.bug, &self.outage], call).await? {
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
