//! How a server of the cluster is reached: its address, who vouches for it, and as whom we come.

use std::path::PathBuf;
use std::time::Duration;

use http::header::{HeaderValue, USER_AGENT};
use kube::Config;
use tower::buffer::BufferLayer;

use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Component};
use crate::cluster::machine::client;
use crate::cluster::machine::outage::{Outage, Patience};

/// The user agent of the harness's own plumbing in the audit log.
pub const PLUMBING: &str = "jobsworth-harness";

/// As many as a client of the library buffers.
const REQUESTS_BUFFERED: usize = 1024;
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A server, the authority that vouches for it, and a client certificate.
#[derive(Clone, Debug)]
pub struct Access {
    url: String,
    authority: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
    agent: String,
    acting_as: Option<String>,
    repeats: Repeats,
    outage: Option<Outage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeats {
    OnOverload,
    Never,
}

impl Access {
    /// The API server, as administrator.
    #[must_use]
    pub fn administrator(site: &Layout) -> Self {
        Self::component(site, Component::ApiServer)
    }

    /// Any component, with the administrator's certificate (etcd has a client certificate of its own).
    #[must_use]
    pub fn component(site: &Layout, component: Component) -> Self {
        let identity = if component == Component::Etcd { "etcd-client" } else { "administrator" };
        Self {
            url: site.url(component),
            authority: site.authority_certificate(),
            certificate: site.certificate(identity),
            key: site.key(identity),
            agent: PLUMBING.to_owned(),
            acting_as: None,
            repeats: Repeats::OnOverload,
            outage: None,
        }
    }

    /// A server on this machine that is not a component's own: its address, and the path in it. Without TLS nobody vouches for it;
    /// with TLS the cluster's authority does.
    ///
    /// # Errors
    /// When `url` is no address.
    pub fn address(site: &Layout, url: &str) -> Result<(Self, String), ClusterError> {
        let unreadable = |why: String| ClusterError::Unreadable { what: format!("the address {url}"), why };
        let uri: http::Uri = url.parse().map_err(|error: http::uri::InvalidUri| unreadable(error.to_string()))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(unreadable("it does not begin with http:// or https:// and a host".to_owned()));
        };
        let path = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str).to_owned();
        Ok((Self { url: format!("{scheme}://{authority}"), ..Self::administrator(site) }, path))
    }

    /// Under another name in the audit log.
    #[must_use]
    pub fn agent(mut self, agent: &str) -> Self {
        agent.clone_into(&mut self.agent);
        self
    }

    /// As another user, by impersonation.
    #[must_use]
    pub fn acting_as(mut self, user: &str) -> Self {
        self.acting_as = Some(user.to_owned());
        self
    }

    /// Without repeating a request that was answered with 429, 503 or 504: for measured clients.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.repeats = Repeats::Never;
        self
    }

    /// Waiting while the API server is changed, and repeating what was cut off by that.
    #[must_use]
    pub fn patient(mut self, outage: &Outage) -> Self {
        self.outage = Some(outage.clone());
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// When a certificate or key cannot be read.
    pub fn client(&self) -> Result<kube::Client, ClusterError> {
        // Two TLS providers in one build would make rustls refuse to choose; ours is named here.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let url = self.url.parse().expect("a layout's addresses are addresses");
        let mut config = Config::new(url);
        config.root_cert_file = None;
        config.root_cert = Some(vec![self.authority_der()?]);
        config.auth_info.client_certificate = Some(self.certificate.display().to_string());
        config.auth_info.client_key = Some(self.key.display().to_string());
        config.auth_info.impersonate = self.acting_as.clone();
        config.connect_timeout = Some(CONNECT_LIMIT);
        config.default_retry = self.repeats == Repeats::OnOverload;
        let agent = HeaderValue::from_str(&self.agent).unwrap_or_else(|_| HeaderValue::from_static(PLUMBING));
        config.headers = vec![(USER_AGENT, agent)];
        let failed = |source| ClusterError::Client { url: self.url.clone(), source: Box::new(source) };
        let plain = client::builder(config).map_err(failed)?;
        match &self.outage {
            None => Ok(plain.build()),
            Some(outage) => {
                // Only what is buffered can be asked a second time.
                let buffered = plain.with_layer(&BufferLayer::new(REQUESTS_BUFFERED));
                Ok(buffered.with_layer(&Patience(outage.clone())).build())
            }
        }
    }

    /// The text at `path`.
    ///
    /// # Errors
    /// When the server does not answer, or answers with an error.
    pub async fn text(&self, path: &str) -> Result<String, ClusterError> {
        text(&self.client()?, &self.url, path).await
    }

    fn authority_der(&self) -> Result<Vec<u8>, ClusterError> {
        use rustls::pki_types::{CertificateDer, pem::PemObject};
        CertificateDer::from_pem_file(&self.authority).map(|der| der.to_vec()).map_err(|error| {
            ClusterError::Unreadable { what: self.authority.display().to_string(), why: error.to_string() }
        })
    }
}

/// How long a component has for a text about itself.
const ANSWER: Duration = Duration::from_secs(15);

/// The text at `path` through a client that is already there.
///
/// # Errors
/// When the server does not answer within [`ANSWER`], or answers with an error.
pub async fn text(client: &kube::Client, url: &str, path: &str) -> Result<String, ClusterError> {
    let request = http::Request::get(path).body(Vec::new()).expect("a fixed path makes a request");
    // Who accepts a connection and says nothing must not hold up a run's end.
    let answered = tokio::time::timeout(ANSWER, client.request_text(request)).await;
    answered
        .unwrap_or_else(|late| Err(kube::Error::Service(late.into())))
        .map_err(|source| ClusterError::Request { what: format!("read {url}{path}"), source: Box::new(source) })
}
