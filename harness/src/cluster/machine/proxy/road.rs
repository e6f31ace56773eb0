//! The way from a proxy to the API server: as the identity that came to the proxy, never with more rights.

use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Component};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{
    body::Incoming,
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// One identity's way to the API server.
#[derive(Clone)]
pub(super) struct Road {
    /// The identity's name in the cluster's folder; empty for those who come without a certificate.
    pub identity: &'static str,
    /// The certificate by which the identity is known at the proxy.
    pub certificate: Option<CertificateDer<'static>>,
    connector: TlsConnector,
    address: SocketAddr,
}

impl Road {
    /// The way of `identity`, with the certificate and key in the cluster's folder.
    pub fn of(site: &Layout, identity: &'static str) -> Result<Self, ClusterError> {
        let certificate = certificate(&site.certificate(identity))?;
        let key = key(&site.key(identity))?;
        let config = ClientConfig::builder()
            .with_root_certificates(authority(site)?)
            .with_client_auth_cert(vec![certificate.clone()], key)
            .map_err(|error| unreadable(&site.key(identity), &error))?;
        Ok(Self { identity, certificate: Some(certificate), ..Self::by(site, config) })
    }

    /// The way of those who show a token, or nothing, in each request.
    pub fn without_certificate(site: &Layout) -> Result<Self, ClusterError> {
        let config = ClientConfig::builder().with_root_certificates(authority(site)?).with_no_client_auth();
        Ok(Self::by(site, config))
    }

    fn by(site: &Layout, config: ClientConfig) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, site.port(Component::ApiServer)));
        Self { identity: "", certificate: None, connector: TlsConnector::from(Arc::new(config)), address }
    }

    async fn connect(&self) -> io::Result<SendRequest<Full<Bytes>>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::IpAddress(self.address.ip().into());
        let stream = self.connector.connect(name, stream).await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        // It ends when the sender and the last answer's body are gone.
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// The connection that belongs to one connection at the proxy.
pub(crate) struct Upstream {
    road: Road,
    sender: tokio::sync::Mutex<Option<SendRequest<Full<Bytes>>>>,
}

impl Upstream {
    /// Not connected yet.
    pub(super) fn by(road: Road) -> Self {
        Self { road, sender: tokio::sync::Mutex::default() }
    }

    /// Sends a request once; whether it arrived when this fails, nobody knows.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>> {
        let mut slot = self.sender.lock().await;
        let usable = match slot.as_mut() {
            Some(sender) => sender.ready().await.is_ok(),
            None => false,
        };
        if !usable {
            *slot = Some(self.road.connect().await?);
        }
        let sender = slot.as_mut().ok_or_else(|| io::Error::other("there is no connection"))?;
        sender.send_request(request).await.map_err(io::Error::other)
    }
}

/// The cluster's authority as the only one that is trusted.
pub(super) fn authority(site: &Layout) -> Result<RootCertStore, ClusterError> {
    let path = site.authority_certificate();
    let mut roots = RootCertStore::empty();
    roots.add(certificate(&path)?).map_err(|error| unreadable(&path, &error))?;
    Ok(roots)
}

pub(super) fn certificate(path: &Path) -> Result<CertificateDer<'static>, ClusterError> {
    CertificateDer::from_pem_file(path).map_err(|error| unreadable(path, &error))
}

pub(super) fn key(path: &Path) -> Result<PrivateKeyDer<'static>, ClusterError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| unreadable(path, &error))
}

pub(super) fn unreadable(path: &Path, error: &dyn std::error::Error) -> ClusterError {
    ClusterError::Unreadable { what: path.display().to_string(), why: error.to_string() }
}
