//! While the API server is changed nobody answers: requests of ours wait until it is over, and those that it cut off
//! are repeated.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use kube::client::Body;
use tokio::sync::watch;
use tower::{BoxError, Layer, Service, ServiceExt as _};

/// Whether the API server is away on purpose.
#[derive(Clone, Debug)]
pub struct Outage(Arc<watch::Sender<State>>);

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// How many have begun.
    count: u64,
    under_way: bool,
}

/// An outage that is over when this is dropped, however the change came out.
#[derive(Debug)]
pub struct UnderWay(Outage);

impl Default for Outage {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }
}

impl Outage {
    /// From now on requests wait.
    #[must_use]
    pub fn begin(&self) -> UnderWay {
        self.0.send_modify(|state| *state = State { count: state.count + 1, under_way: true });
        UnderWay(self.clone())
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        self.0.borrow().count
    }

    /// Returns when none is under way.
    pub(crate) async fn over(&self) {
        // The sender is ours, so it cannot go away.
        let _ = self.0.subscribe().wait_for(|state| !state.under_way).await;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.send_modify(|state| state.under_way = false);
    }
}

/// Makes a client wait for the end of an outage.
#[derive(Clone, Debug)]
pub(super) struct Patience(pub(super) Outage);

impl<S> Layer<S> for Patience {
    type Service = Patient<S>;

    fn layer(&self, inner: S) -> Patient<S> {
        Patient { inner, outage: self.0.clone() }
    }
}

/// A client that waits.
#[derive(Clone, Debug)]
pub(super) struct Patient<S> {
    inner: S,
    outage: Outage,
}

impl<S, B> Service<Request<Body>> for Patient<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<B>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<B>, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // The one that was asked whether it is ready is the one to be called.
        let spare = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, spare);
        Box::pin(patiently(inner, self.outage.clone(), request))
    }
}

async fn patiently<S, B>(mut inner: S, outage: Outage, mut request: Request<Body>) -> Result<Response<B>, BoxError>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError>,
{
    loop {
        outage.over().await;
        let before = outage.count();
        let again = copy(&mut request);
        let answer = inner.ready().await?.call(request).await;
        // A server on its way out may also answer that it can no longer.
        let refused = answer.as_ref().is_ok_and(|answer| answer.status().is_server_error());
        match again.filter(|_| outage.count() != before && (answer.is_err() || refused)) {
            Some(again) => request = again,
            None => return answer,
        }
    }
}

/// The same request once more; a body that is a stream cannot be had twice.
fn copy(request: &mut Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Fails the first time, after an outage has begun.
    fn server(
        outage: &Outage,
        asked: &Arc<AtomicU32>,
    ) -> Patient<impl Service<Request<Body>, Response = Response<String>, Error = BoxError, Future: Send> + Clone + use<>>
    {
        let (outage_of_server, asked) = (outage.clone(), asked.clone());
        let answer = move |_request: Request<Body>| {
            let (outage, asked) = (outage_of_server.clone(), asked.clone());
            async move {
                if asked.fetch_add(1, Ordering::SeqCst) > 0 {
                    return Ok(Response::new("there".to_owned()));
                }
                let under_way = outage.begin();
                tokio::spawn(async move {
                    tokio::task::yield_now().await;
                    drop(under_way);
                });
                Err(BoxError::from("connection reset"))
            }
        };
        Patience(outage.clone()).layer(tower::service_fn(answer))
    }

    #[tokio::test]
    async fn a_request_that_an_outage_cut_off_is_repeated_after_it() {
        let (outage, asked) = (Outage::default(), Arc::new(AtomicU32::new(0)));
        let answer = server(&outage, &asked).oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!((answer.body().as_str(), asked.load(Ordering::SeqCst)), ("there", 2));
    }

    #[tokio::test]
    async fn a_request_waits_for_the_end_of_an_outage() {
        let (outage, asked) = (Outage::default(), Arc::new(AtomicU32::new(1)));
        let under_way = outage.begin();
        let mut answer = Box::pin(server(&outage, &asked).oneshot(Request::new(Body::empty())));
        assert!(futures::poll!(&mut answer).is_pending());
        assert_eq!(asked.load(Ordering::SeqCst), 1, "nothing was sent");
        drop(under_way);
        assert!(answer.await.is_ok());
    }

    #[tokio::test]
    async fn without_an_outage_a_failure_is_a_failure() {
        let outage = Outage::default();
        let broken = tower::service_fn(|_request: Request<Body>| async {
            Err::<Response<String>, BoxError>(BoxError::from("connection refused"))
        });
        assert!(Patience(outage).layer(broken).oneshot(Request::new(Body::empty())).await.is_err());
    }
}
