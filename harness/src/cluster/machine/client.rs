//! Clients of API servers, whose connections are given up before the server gives them up.
//!
//! An API server closes a connection that nobody used for 90 seconds (`IdleTimeout` in its `SecureServingInfo.Serve`). The library
//! keeps one for as long, so a request may leave at the moment at which its connection ends: it fails without an answer, and
//! nobody knows whether it was taken.

use std::time::Duration;

use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::Config;
use kube::client::{Body, ClientBuilder, ConfigExt as _, DynBody, retry::RetryPolicy};
use tower::retry::RetryLayer;
use tower::util::BoxService;
use tower::{BoxError, ServiceBuilder, ServiceExt as _};

/// A connection that nobody used for so long is closed. Proxies before API servers wait for less than these do, but hardly for less
/// than this.
const IDLE_LIMIT: Duration = Duration::from_secs(20);

/// What sends a client's requests.
pub(crate) type Sender = BoxService<Request<Body>, Response<Box<DynBody>>, BoxError>;

/// A client as the library builds it by default, but for [`IDLE_LIMIT`], and without its tracing.
///
/// # Errors
/// When certificates or credentials cannot be used, or the server is to be reached through a proxy.
pub(crate) fn builder(config: Config) -> Result<ClientBuilder<Sender>, kube::Error> {
    if config.proxy_url.is_some() {
        // The library says what it lacks for that.
        return ClientBuilder::try_from(config);
    }
    let mut plain = HttpConnector::new();
    plain.enforce_http(false);
    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(plain)?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    let pool: Client<_, Body> = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_LIMIT)
        .build(connector);
    let sender = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.default_retry.then(|| RetryLayer::new(RetryPolicy::server_retry())))
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(pool)
        .map_response(|answer| answer.map(|body| Box::new(body.map_err(BoxError::from)) as Box<DynBody>))
        .boxed();
    Ok(ClientBuilder::new(sender, config.default_namespace))
}

#[cfg(test)]
mod tests;
